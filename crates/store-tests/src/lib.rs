//! What every store must do: functions that take the trait alone. [`suite`] makes a test of each.
#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]
#![expect(missing_docs, reason = "each check is named by what it checks")]

pub mod accounts;
pub mod arrivals;
pub mod audit;
pub mod feed;
pub mod forms;
pub mod identities;
pub mod imports;
pub mod insight;
pub mod keys;
pub mod lifecycle;
pub mod make;
pub mod sessions;
pub mod submissions;
pub mod summary;
pub mod unlisted;

/// Makes a test of each check. `$open` returns a future of a new store and of what keeps it there.
#[macro_export]
macro_rules! suite {
    ($open:path) => {
        $crate::suite! { $open: accounts::an_account_is_found_by_id_and_by_mail_in_any_case,
            accounts::a_mail_address_belongs_to_one_account,
            accounts::accounts_are_listed_oldest_first,
            accounts::the_cursor_secret_is_made_once,
            sessions::a_link_works_once_and_only_in_time,
            sessions::a_session_lives_until_it_is_deleted,
            sessions::old_sessions_are_deleted_together,
            sessions::an_owner_sees_their_sessions_and_ends_the_others,
            sessions::a_further_sign_in_ends_what_was_used_least_lately,
            sessions::a_new_password_ends_whatever_was_open,
            sessions::what_an_old_password_proved_counts_no_more,
            sessions::a_proof_gives_a_session_another_token,
            sessions::an_account_has_its_owner_and_readers,
            sessions::an_account_has_so_many_people_at_most,
            sessions::a_reader_who_is_removed_is_out_at_once,
            sessions::nothing_belongs_to_an_account_that_does_not_exist,
            identities::an_identity_lets_in_whom_it_was_linked_with,
            identities::a_session_is_of_the_identity_by_which_it_began,
            identities::an_account_comes_with_its_identity_or_not_at_all,
            identities::a_person_has_so_many_identities_at_most,
            forms::a_form_comes_back_as_it_was_given,
            forms::forms_are_listed_oldest_first_in_both_environments,
            forms::a_page_of_forms_goes_on_behind_the_last,
            forms::a_form_exists_once,
            forms::count_and_last_submission_follow_what_happens,
            forms::a_form_is_renamed_and_its_fields_replaced_where_they_are_as_they_were,
            forms::keys_of_removed_fields_are_kept_until_they_are_added_again,
            forms::an_account_holds_a_thousand_forms,
            keys::a_key_is_found_by_the_hash_of_its_secret,
            keys::keys_are_listed_newest_first,
            keys::a_key_is_revoked_once_and_by_its_owner,
            keys::ten_keys_are_active_at_most,
            submissions::a_submission_comes_back_as_its_wire_json,
            submissions::order_is_newest_first_then_by_bytes_of_the_id,
            submissions::a_place_outlives_its_submission,
            submissions::a_deleted_submission_is_gone_everywhere,
            submissions::an_insertion_is_whole_or_not_at_all,
            submissions::a_long_insertion_is_whole_or_not_at_all,
            submissions::fields_come_with_the_submissions,
            submissions::an_unknown_form_has_nothing,
            submissions::a_page_is_its_owners_alone,
            submissions::a_page_ends_at_2_mib_and_no_row_is_missed,
            submissions::a_portion_is_what_fits_and_tells_where_the_next_begins,
            submissions::hostile_text_is_only_text,
            summary::a_summary_is_what_the_list_adds_up_to,
            insight::what_comes_without_insight_waits_newest_first,
            insight::an_arrival_waits_and_spam_does_once_it_is_released,
            insight::an_insight_changes_nothing_else,
            insight::a_days_limit_holds_and_begins_anew_at_midnight,
            insight::test_forms_take_nothing_from_the_live_limit,
            insight::forms_take_turns,
            insight::what_came_before_is_queued_when_analysis_is_switched_on,
            insight::what_fails_is_tried_again_ever_later,
            insight::what_is_to_be_tried_again_has_its_turn_when_nothing_else_waits,
            insight::an_owners_word_outlives_the_analysis,
            insight::a_form_has_categories_of_its_own,
            arrivals::an_arrival_is_a_submission_like_any_other,
            arrivals::settings_come_back_and_change_the_version,
            arrivals::what_was_judged_by_another_version_is_stale,
            arrivals::fields_come_with_an_arrival_or_not_at_all,
            arrivals::a_repeated_request_is_answered_as_the_first,
            arrivals::arrivals_that_come_together_stand_each_for_itself,
            arrivals::a_form_takes_as_many_as_it_may_hold,
            arrivals::spam_is_set_aside_released_and_deleted,
            arrivals::spam_is_bounded_in_count_and_age,
            lifecycle::a_plan_is_changed,
            lifecycle::a_new_address_ends_links_and_other_sessions,
            lifecycle::a_deleted_form_is_gone_at_once_and_its_rows_later,
            lifecycle::a_deleted_account_leaves_nothing_that_lets_in,
            lifecycle::a_copy_of_a_form_has_its_settings,
            arrivals::a_page_of_spam_ends_at_2_mib,
            unlisted::trashed_submissions_are_in_no_list_and_come_back,
            unlisted::a_filter_moves_what_matches_if_the_count_is_right,
            unlisted::trash_is_searched_and_paged,
            unlisted::trash_is_deleted_after_its_days,
            unlisted::trash_is_restored_or_deleted_by_ids,
            unlisted::a_submission_is_marked_as_spam,
            unlisted::marked_spam_is_not_bounded_in_number,
            unlisted::insights_survive_the_trash,
            unlisted::many_move_at_once_and_searches_agree,
            audit::each_account_has_a_bound_of_refusals,
            imports::an_import_goes_on_where_it_was,
            imports::an_import_goes_in_beside_what_another_left,
            imports::an_import_that_fails_leaves_nothing,
            imports::an_import_is_seen_all_at_once
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
