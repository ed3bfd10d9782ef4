//! Tests that every store must pass, as functions of the trait. [`suite`] turns each into a test.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
#![expect(missing_docs, reason = "the names of the checks describe them")]

pub mod accounts;
pub mod arrivals;
pub mod audit;
pub mod feed;
pub mod fixtures;
pub mod forms;
pub mod identities;
pub mod imports;
pub mod insight;
pub mod keys;
pub mod lifecycle;
pub mod live;
pub mod mail;
pub mod mail_queue;
pub mod mail_views;
pub mod notes;
pub mod outbox;
pub mod properties;
pub mod read_state;
pub mod sessions;
pub mod sorted;
pub mod submissions;
pub mod summary;
pub mod triage;
pub mod unlisted;
pub mod views;

/// Creates a test for each check. `$open` returns a future of a new store and of a guard that keeps
/// its storage alive.
#[macro_export]
macro_rules! suite {
    ($open:path) => {
        $crate::suite! { $open: accounts::account_is_found_by_id_and_email,
            accounts::duplicate_email_is_rejected,
            accounts::accounts_are_listed_oldest_first,
            accounts::cursor_secret_is_created_once,
            sessions::sign_in_link_works_once_before_expiry,
            sessions::session_lasts_until_deleted,
            sessions::delete_sessions_removes_old_ones,
            sessions::sessions_are_listed_and_others_deleted,
            sessions::excess_sign_in_ends_least_recent_session,
            sessions::new_password_ends_sessions_and_links,
            sessions::proof_of_old_password_is_rejected,
            sessions::prove_session_replaces_token,
            sessions::account_lists_owner_and_readers,
            sessions::role_of_member_can_be_changed,
            sessions::forms_of_member_can_be_changed,
            sessions::preferences_of_member_are_stored,
            sessions::number_of_members_is_limited,
            sessions::deleted_reader_loses_access_at_once,
            sessions::insert_for_unknown_account_fails,
            identities::identity_finds_its_linked_user,
            identities::session_belongs_to_its_identity,
            identities::account_and_identity_are_inserted_atomically,
            identities::number_of_identities_is_limited,
            forms::inserted_form_round_trips,
            forms::forms_are_listed_oldest_first,
            forms::form_pages_continue_after_last_form,
            forms::form_pages_of_named_forms_are_exact,
            forms::duplicate_form_or_field_is_rejected,
            forms::count_and_last_submission_are_exact,
            forms::replace_fields_detects_concurrent_change,
            forms::removed_keys_last_until_added_again,
            forms::number_of_forms_is_limited,
            keys::key_is_found_by_secret_hash,
            keys::keys_are_listed_newest_first,
            keys::key_is_revoked_once_by_owner,
            keys::restrictions_of_key_are_stored,
            keys::expired_key_is_not_active,
            keys::number_of_active_keys_is_limited,
            submissions::submission_json_round_trips,
            submissions::order_is_by_instant_then_id_bytes,
            submissions::position_of_deleted_submission_is_valid,
            submissions::deleted_submission_is_not_found,
            submissions::short_insertion_is_atomic,
            submissions::long_insertion_is_atomic,
            submissions::insertion_appends_fields,
            submissions::unknown_form_has_no_submissions,
            submissions::page_of_other_owner_is_not_found,
            submissions::page_is_limited_to_2_mib,
            submissions::chunk_is_limited_and_sets_next_position,
            submissions::special_characters_match_literally,
            summary::summary_agrees_with_list,
            insight::new_submissions_are_pending_newest_first,
            insight::spam_is_pending_after_restore,
            insight::insight_preserves_other_bytes,
            insight::daily_limit_resets_at_midnight,
            insight::test_forms_have_separate_limit,
            insight::forms_take_turns,
            insight::existing_submissions_are_queued_when_enabled,
            insight::failed_analysis_is_retried_with_backoff,
            insight::due_retries_take_turns_by_form,
            insight::correction_survives_analysis,
            insight::form_categories_are_set_and_reset,
            arrivals::inserted_submission_is_found_and_counted,
            arrivals::intake_update_changes_version,
            arrivals::other_intake_version_is_stale,
            arrivals::submission_and_fields_are_inserted_atomically,
            arrivals::repeated_request_returns_first_receipt,
            arrivals::concurrent_insertions_are_independent,
            arrivals::submission_limit_of_form_is_enforced,
            arrivals::spam_is_listed_restored_and_deleted,
            arrivals::released_spam_adds_few_fields,
            arrivals::spam_is_limited_by_count_and_age,
            lifecycle::set_plan_changes_account_and_keys,
            lifecycle::new_email_ends_links_and_sessions,
            lifecycle::deleted_form_is_hidden_then_purged,
            lifecycle::deleted_account_loses_all_access,
            lifecycle::duplicate_form_copies_settings,
            arrivals::spam_page_is_limited_to_2_mib,
            live::new_submissions_are_sent_as_created,
            live::many_new_submissions_are_sent_without_ids,
            live::triage_and_notes_are_sent_as_updated,
            live::insights_are_sent_as_analyzed,
            live::removals_are_sent,
            live::account_deletion_is_sent_to_each_subscriber,
            live::failed_transactions_send_nothing,
            live::failure_of_one_submission_sends_the_others,
            unlisted::trashed_submissions_are_hidden_and_restored,
            unlisted::move_by_filter_checks_count,
            unlisted::trash_is_searched_and_paged,
            unlisted::trash_is_deleted_after_retention,
            unlisted::trash_is_restored_or_deleted_by_ids,
            unlisted::marked_submission_is_spam_until_restored,
            unlisted::marked_spam_has_no_count_limit,
            unlisted::insights_survive_trash,
            unlisted::large_moves_preserve_search_results,
            triage::update_by_ids_returns_number_of_changes,
            triage::other_forms_have_no_triage,
            triage::last_of_concurrent_changes_wins,
            triage::undo_sets_former_values_back,
            triage::update_by_filter_checks_count,
            triage::filters_select_by_triage,
            triage::new_tags_are_added_to_settings,
            triage::too_many_tags_change_nothing,
            triage::history_has_latest_changes,
            triage::settings_keep_used_statuses,
            notes::notes_are_changed_by_their_author,
            notes::number_of_notes_is_limited,
            notes::mails_are_inserted_with_the_note,
            notes::export_has_triage_of_each_row,
            notes::moves_keep_triage_notes_and_history,
            notes::permanent_deletion_deletes_notes_and_history,
            notes::deleted_form_and_account_have_no_triage,
            notes::removed_member_is_not_named,
            read_state::each_member_has_a_read_state,
            read_state::read_state_is_no_part_of_the_triage,
            read_state::filters_select_by_read_state,
            read_state::moves_keep_the_read_state,
            views::views_are_listed_changed_and_deleted,
            views::names_of_views_are_unique_in_their_scope,
            views::each_scope_has_one_default_view,
            views::number_of_views_is_limited,
            views::views_of_deleted_forms_and_members_are_deleted,
            mail::notifications_are_listed_changed_and_deleted,
            mail::address_is_notified_once_per_form,
            mail::number_of_notifications_is_limited,
            mail::only_arrivals_are_notified,
            mail::unconfirmed_address_is_not_notified,
            mail::address_of_member_is_confirmed_while_they_are_a_member,
            mail::address_of_member_needs_access_to_the_form,
            mail::notification_is_leased_once,
            mail::lease_returns_first_rows_and_submissions,
            mail::outcome_is_recorded_while_the_lease_holds,
            mail::refused_address_is_disabled_and_keeps_its_emails,
            mail::unsubscribed_address_must_confirm_again,
            mail::auto_reply_is_set_and_leased,
            mail::changed_settings_end_the_lease,
            mail::copied_form_has_no_notifications,
            mail_views::notification_uses_shared_view_of_its_form,
            mail_views::used_view_stays_shared_and_without_read,
            mail_views::leased_view_is_the_present_one,
            mail_views::pending_submissions_have_their_triage,
            mail_queue::daily_limits_count_exactly,
            mail_queue::emails_to_members_are_leased_and_retried,
            mail_queue::stats_count_pending_emails,
            mail_queue::old_pending_emails_are_purged,
            mail_queue::deleted_form_has_no_notifications,
            mail_queue::deleted_account_has_no_usage,
            mail_queue::mail_secret_is_created_once,
            outbox::webhooks_are_listed_changed_and_deleted,
            outbox::secret_is_rotated_once_old_one_expired,
            outbox::number_of_webhooks_is_limited,
            outbox::arrival_enqueues_chosen_events_only,
            outbox::changes_of_a_submission_enqueue_events,
            outbox::moves_enqueue_deleted_and_created,
            outbox::permanent_deletion_deletes_deliveries,
            outbox::due_deliveries_are_leased_once,
            outbox::attempts_are_recorded_and_retried,
            outbox::disabled_webhook_gets_nothing,
            outbox::failed_deliveries_are_replayed,
            outbox::log_is_paged_and_filtered,
            outbox::content_follows_the_submission,
            outbox::log_is_purged_after_its_retention,
            outbox::attempt_to_former_url_keeps_webhook_state,
            outbox::failing_webhooks_are_leased_last,
            audit::refusals_are_limited_per_account,
            imports::killed_import_is_resumed,
            imports::import_ignores_other_killed_import,
            imports::failed_import_leaves_no_rows,
            imports::visible_import_has_one_audit_entry,
            imports::field_added_during_import_is_kept,
            imports::import_becomes_visible_atomically
        }
    };
    ($open:path: $($part:ident::$check:ident),+ $(,)?) => {
        $(
            #[tokio::test]
            async fn $check() {
                let (store, _place) = $open().await;
                $crate::$part::$check(&store).await;
            }
        )+
    };
}
