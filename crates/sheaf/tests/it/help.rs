//! The manual: `--help` of every command, so that a change of the command line is seen.

use crate::test_env::{binary, expect_success};

/// Returns the help of a command, without the options that all commands have.
fn help(command: &str) -> String {
    let text = whole_help(command);
    let (own, rest) = text.split_once("\nData options:\n").unwrap();
    let (shared, examples) = rest.split_once("\nExamples:\n").unwrap_or((rest, ""));
    assert_eq!(shared.matches(" --").count(), 4, "{command}");
    match examples {
        "" => own.trim_end().to_owned(),
        examples => format!("{}\n\nExamples:\n{examples}", own.trim_end()),
    }
}

/// Returns the parts that the help of `sheaf serve` lacks, and the options that only it has.
fn help_beside_serve(command: &str) -> String {
    let (serve, own) = (help_parts("serve"), help_parts(command));
    let added = own.iter().filter(|part| !serve.contains(part));
    let added = added.flat_map(|part| part.lines()).filter(|line| !line.is_empty());
    let added = added.map(|line| format!("+ {line}"));
    let missing = serve.iter().filter(|part| !own.contains(part) && part.starts_with(' '));
    let missing =
        missing.filter_map(|part| part.trim_start().lines().next()).map(|line| format!("- {line}"));
    added.chain(missing).collect::<Vec<_>>().join("\n")
}

/// Splits the help of a command before each option and heading.
fn help_parts(command: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in help(command).lines() {
        let is_option = line.starts_with("      --") || line.starts_with("  -");
        if is_option || (!line.starts_with(' ') && line.ends_with(':')) {
            parts.push(String::new());
        }
        let part = parts.last_mut().unwrap();
        part.push_str(line);
        part.push('\n');
    }
    parts.into_iter().map(|part| part.trim_end().to_owned()).collect()
}

fn whole_help(command: &str) -> String {
    let output = binary().args(command.split_whitespace()).arg("--help").output().unwrap();
    let text = expect_success(&output);
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn binary_help() {
    insta::assert_snapshot!(whole_help(""), @r"
    Self-hosted form submissions: the API, the gateway and the dashboard in one binary.

    Quick start with sample data:

      sheaf serve --listen 127.0.0.1:8080 --sample

    Quick start with your own data:

      sheaf account create --email you@example.com --plan pro
      sheaf form create --account you@example.com --name Feedback --field Name --field Score:rating
      sheaf import --form frm_… answers.ndjson
      sheaf serve --listen 127.0.0.1:8080

    All commands also work while a server runs on the same data, and the server sees their changes
    immediately. Errors are printed to standard error. The exit status is 1 for errors, and 2 for an
    invalid command line.

    Usage: sheaf [OPTIONS] <COMMAND>

    Commands:
      serve         Runs the API, the gateway and the dashboard in one process
      service       Runs only the API (/v1), the form intake (/f) and the links in e-mails (/n)
      gateway       Runs the gateway and the dashboard in front of another API server
      account       Manages accounts, members and their sign-in
      form          Manages forms, fields and settings
      key           Creates, lists and revokes API keys
      spam          Lists, releases and deletes submissions marked as spam
      webhook       Manages webhooks: HTTP requests to other programs about the submissions of a
                    form
      notification  Manages notifications: e-mails about the submissions of a form
      mail          Tests the options of e-mail
      import        Imports submissions from a file, all or nothing
      sample        Inserts generated sample submissions into a form
      audit         Verifies and exports the audit log
      openapi       Prints the API description as JSON, which a server also serves at /openapi.json
      dashboard     Exports the dashboard as static files for another web server
      backup        Writes a consistent copy of the database file, also while a server runs
      dump          Writes all data to one archive, also while a server runs
      restore       Restores an archive into an empty data directory or database, and verifies it
      health        Checks whether a running server is ready; the exit status is 0 if it is, else 1
      check         Checks a database file or a backup for damage, also while a server runs
      help          Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Data options:
          --data <DIR>
              Data directory with the database and all other files, created if missing; defaults to
              `./data`

              [env: SHEAF_DATA=]

          --database-url <URL>
              Use this PostgreSQL database instead of the data directory:
              `postgres://NAME@HOST/DATABASE?sslmode=verify-full`. Other users of this machine can
              read the command line, so pass a URL with a password by the variable or a file

              [env: SHEAF_DATABASE_URL]

          --database-url-file <FILE>
              File with the database URL; must not be world-readable

              [env: SHEAF_DATABASE_URL_FILE=]

          --database-ca <FILE>
              File with CA certificates (PEM); only these are trusted for the database

              [env: SHEAF_DATABASE_CA=]
    ");
}

#[test]
#[expect(clippy::too_many_lines, reason = "as long as the manual")]
fn serve_help() {
    insta::assert_snapshot!(help("serve"), @r"
    Runs the API, the gateway and the dashboard in one process

    Prints the addresses that it listens on. If the only account has no password, it also prints a
    sign-in link on a terminal, or else the command that creates one. On Ctrl-C or SIGTERM it
    finishes running requests for up to 30 seconds and exits; a second Ctrl-C exits immediately.

    Usage: sheaf serve [OPTIONS]

    Options:
          --sample
              Fill an empty data directory with a sample account, forms and submissions

              Also prints a sign-in link at every start.

      -h, --help
              Print help (see a summary with '-h')

    Listening:
          --listen <ADDR|unix:PATH>
              Address and port to listen on, or `unix:PATH` for a Unix socket

              Can be repeated. Port 0 selects a free port and prints it. Proxies that connect by a
              socket are trusted without an address or a secret.

              [default: 127.0.0.1:8080]

          --socket-mode <OCTAL>
              Permissions of socket files; defaults to 0660, for the server's user and group

          --behind-tls
              TLS is terminated by a proxy

              Session cookies are then sent over TLS only. If the proxy runs on this machine, client
              addresses are read from the last entry of X-Forwarded-For. Otherwise, for example with
              containers, set --trusted-proxy as well.

          --trusted-proxy <CIDR>
              Address of a trusted proxy, or a network such as `172.18.0.0/24`

              Can be repeated. Only these proxies are then trusted: client addresses are read from
              the last entry of X-Forwarded-For that is not theirs.

          --public-url <URL>
              Public URL of the dashboard, used in sign-in links and e-mails

              `https://…` implies --behind-tls.

    TLS:
          --tls-cert <FILE>
              File with the certificate chain (PEM)

              The server then accepts only TLS. Reloaded on SIGHUP, and when this file or the key
              file changes.

          --tls-key <FILE>
              File with the private key (PEM); must not be world-readable

    Operation:
          --operator-listen <ADDR>
              Address and port of /healthz, /readyz and /metrics, which need no key

              Bind it to this machine or a private network.

              [env: SHEAF_OPERATOR_LISTEN=]

          --linger <SECONDS>
              Seconds to accept connections after a shutdown signal

              At most 300. Meanwhile /readyz reports not ready, so that load balancers notice.

              [default: 0]

    Sign-in by a proxy:
          --identity-header <NAME>
              Header in which a trusted proxy sends the name of the user

              For example `X-Forwarded-Email`. Turns off passwords and sign-in links; requests from
              others with this header are rejected. Needs --trusted-proxy and --proxy-secret-file,
              or a Unix socket in --listen.

          --proxy-secret-file <FILE>
              File with the secret that the proxy sends with every request

              16 to 256 characters; must not be world-readable.

          --proxy-secret-header <NAME>
              Header with the proxy's secret; defaults to X-Sheaf-Proxy-Secret

          --assertion-header <NAME>
              Header in which a proxy sends a signed JWT about the user

              For example Cf-Access-Jwt-Assertion or Authorization, instead of --identity-header.
              Needs --assertion-issuer, --assertion-audience and --assertion-keys, but no trusted
              addresses.

          --assertion-issuer <ISSUER>
              Required issuer of assertions (`iss`)

          --assertion-audience <NAME>
              Required audience of assertions (`aud`)

          --assertion-keys <FILE|URL>
              JSON Web Key Set with the public keys of the issuer: a file, or an HTTPS URL

              A URL is fetched again every hour.

          --assertion-ca <FILE>
              File with CA certificates (PEM) to trust for the URL of --assertion-keys, instead of
              the public ones

          --assertion-claim <CLAIM>
              Claim that identifies the user; defaults to `sub`

          --provision <PLAN>
              Create an account with this plan for every unknown user

              free, pro, business or enterprise. Without it, unknown users are asked to contact you.
              Not for `sheaf gateway`.

          --sign-out-url <URL>
              Sign-out URL of the proxy: an HTTPS URL, or a path such as `/oauth2/sign_out`

    Analysis:
          --insight-limit <PLAN=COUNT>
              Submissions analysed per account and day (UTC), such as `pro=5000`

              Can be repeated for each plan. Defaults: free 100, pro 1000, business 10000,
              enterprise 100000. Test forms have a separate limit of the same size.

              [env: SHEAF_INSIGHT_LIMIT=]

          --no-insight
              Do not analyse submissions; pending ones stay pending

          --insight-url <URL>
              Base URL of an external analyst: a language model that is used instead of this process

              The service needs `OpenAI`-compatible chat completions; the URL is given without
              `/chat/completions`. It receives the text of answers and the form's categories.
              Without this option no data leave the machine.

          --insight-model <NAME>
              Model of the external analyst

          --insight-key-file <FILE>
              File with the API key of the external analyst; must not be world-readable

          --insight-ca <FILE>
              File with CA certificates (PEM) to trust for the external analyst, instead of the
              public ones

    Webhooks:
          --webhook-allow-http
              Allow webhooks without TLS, to `http://` URLs

              [env: SHEAF_WEBHOOK_ALLOW_HTTP=]

          --webhook-allow-network <CIDR>
              Allow webhooks to this network, such as `10.0.0.0/8`, although it is not public

              Can be repeated. Everyone who can create webhooks can then send requests to all
              servers of the network.

              [env: SHEAF_WEBHOOK_ALLOW_NETWORK=]

          --webhook-ca <FILE>
              File with CA certificates (PEM) to trust for webhooks, in addition to the public ones

    E-mail:
          --smtp-url <URL>
              Mail server: `smtps://USER@HOST` (TLS), or `smtp://USER@HOST` (STARTTLS if offered)

              The ports default to 465 and 587. `?tls=required` and `?tls=none` change the use of
              STARTTLS. Without this option no e-mail is sent. Needs --mail-from.

              [env: SHEAF_SMTP_URL]

          --smtp-password-file <FILE>
              File with the password for the mail server; must not be world-readable

              [env: SHEAF_SMTP_PASSWORD_FILE=]

          --smtp-ca <FILE>
              File with CA certificates (PEM) to trust for the mail server, in addition to the
              public ones

          --mail-from <MAILBOX>
              Sender of e-mails, such as `Forms <forms@example.com>`

              [env: SHEAF_MAIL_FROM=]

          --dkim-key-file <FILE>
              File with a private key (PEM) that signs e-mails with DKIM; must not be world-readable

          --dkim-selector <NAME>
              DKIM selector: the public key is the DNS record `NAME._domainkey` of the sender's
              domain

          --mail-limit <PLAN=COUNT>
              E-mails to notified addresses per account and day (UTC), such as `pro=5000`

              Can be repeated for each plan. Defaults: free 100, pro 1000, business 10000,
              enterprise 100000. Auto-replies have a separate limit of the same size.

              [env: SHEAF_MAIL_LIMIT=]

          --mail-operator <ADDRESS>
              Address that gets an e-mail if the disk is nearly full, at most once a day

              [env: SHEAF_MAIL_OPERATOR=]

    Limits:
          --plan-limits <LIMITS>
              Rate limits of a plan, such as `pro=5000/100`: requests per key in 15 minutes and in
              one second

              Can be repeated for each plan.

          --instances <COUNT>
              Minimum number of instances

              If the database does not answer, each instance allows its share of every limit.
              Running instances are counted automatically.

              [env: SHEAF_INSTANCES=]
              [default: 1]

          --search-memory <MIB>
              Memory for searching and filtering large forms, in MiB

              Forms that do not fit are read from disk or from the database.

              [default: 1024]

    Database:
          --replica-url <URL>
              URL of a read replica for exports, summaries and searches, used while it is up to date

              [env: SHEAF_REPLICA_URL]

          --replica-url-file <FILE>
              File with the replica URL; must not be world-readable

              [env: SHEAF_REPLICA_URL_FILE=]

          --database-connections <COUNT>
              Maximum connections for short queries

              Exports and searches use an additional pool a quarter of this size.

              [default: 16]

    Country of the sender:
          --geoip-db <FILE>
              Country database by network address (MMDB), read at start

          --country-header <NAME>
              Header in which a proxy sends the country of the client, such as CF-IPCountry

              Accepted only from this machine with --behind-tls, or from proxies in --trusted-proxy.

    Examples:
      Try Sheaf with sample data:
        sheaf serve --sample

      Run behind a reverse proxy on this machine:
        sheaf serve --data /var/lib/sheaf --public-url https://forms.example.com

      Run without a proxy:
        sheaf serve --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem
    ");
}

#[test]
fn service_help() {
    insta::assert_snapshot!(help_beside_serve("service"), @r"
    + Runs only the API (/v1), the form intake (/f) and the links in e-mails (/n)
    + Usage: sheaf service [OPTIONS]
    - --sample
    - --identity-header <NAME>
    - --proxy-secret-file <FILE>
    - --proxy-secret-header <NAME>
    - --assertion-header <NAME>
    - --assertion-issuer <ISSUER>
    - --assertion-audience <NAME>
    - --assertion-keys <FILE|URL>
    - --assertion-ca <FILE>
    - --assertion-claim <CLAIM>
    - --provision <PLAN>
    - --sign-out-url <URL>
    ");
}

#[test]
fn gateway_help() {
    insta::assert_snapshot!(help_beside_serve("gateway"), @r"
    + Runs the gateway and the dashboard in front of another API server
    + Accounts, sign-in links and sessions are stored in the data directory. API keys never reach the
    + browser.
    + Usage: sheaf gateway [OPTIONS] --upstream <URL>
    +       --upstream <URL>
    +           Base URL of the API server, without /v1
    +       --upstream-ca <FILE>
    +           File with CA certificates (PEM) to trust for the API server, instead of the public
    +           ones
    +       --key-live-file <FILE>
    +           File with the live key; without it, live data are not available
    +       --key-test-file <FILE>
    +           File with the test key; without it, test data are not available
    - --sample
    - --insight-limit <PLAN=COUNT>
    - --no-insight
    - --insight-url <URL>
    - --insight-model <NAME>
    - --insight-key-file <FILE>
    - --insight-ca <FILE>
    - --webhook-allow-http
    - --webhook-allow-network <CIDR>
    - --webhook-ca <FILE>
    - --smtp-url <URL>
    - --smtp-password-file <FILE>
    - --smtp-ca <FILE>
    - --mail-from <MAILBOX>
    - --dkim-key-file <FILE>
    - --dkim-selector <NAME>
    - --mail-limit <PLAN=COUNT>
    - --mail-operator <ADDRESS>
    - --plan-limits <LIMITS>
    - --instances <COUNT>
    - --search-memory <MIB>
    - --replica-url <URL>
    - --replica-url-file <FILE>
    - --database-connections <COUNT>
    - --geoip-db <FILE>
    - --country-header <NAME>
    ");
}

#[test]
fn account_help() {
    insta::assert_snapshot!(help("account"), @r"
    Manages accounts, members and their sign-in

    Usage: sheaf account [OPTIONS] <COMMAND>

    Commands:
      create           Creates an account and prints its id
      list             Lists the accounts, oldest first
      usage            Shows how many submissions were analysed today, the daily limit and how many
                       are pending
      set-plan         Changes the plan of an account, effective immediately
      set-email        Changes the email address of an account's owner and signs them out everywhere
      delete           Deletes an account with its members, keys, forms and submissions permanently
      sign-in-link     Prints a sign-in link for a member, valid once within 15 minutes
      add-member       Adds a member and prints a sign-in link, valid once within 24 hours
      set-member       Changes the role or the forms of a member, from their next request on
      people           Lists the members of an account, owner first
      remove-member    Removes a member, other than the owner, and ends their sessions
      link-identity    Links an identity of an authenticating proxy to a member
      unlink-identity  Unlinks an identity and ends its sessions
      identities       Lists the linked identities of an account's members
      help             Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn account_create_help() {
    insta::assert_snapshot!(help("account create"), @r"
    Creates an account and prints its id

    Usage: sheaf account create [OPTIONS] --email <EMAIL> --plan <PLAN>

    Options:
          --email <EMAIL>
              Email address of the owner

          --plan <PLAN>
              Plan with its rate limits: free, pro, business or enterprise

          --password-stdin
              Read a password (12 to 128 characters, one line) from standard input

              Without it, the owner signs in by sign-in link.

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn account_list_help() {
    insta::assert_snapshot!(help("account list"), @r"
    Lists the accounts, oldest first

    Usage: sheaf account list [OPTIONS]

    Options:
          --json  Print JSON instead of a table
      -h, --help  Print help
    ");
}

#[test]
fn account_sign_in_link_help() {
    insta::assert_snapshot!(help("account sign-in-link"), @r"
    Prints a sign-in link for a member, valid once within 15 minutes

    Usage: sheaf account sign-in-link [OPTIONS] --account <EMAIL|ID>

    Options:
          --account <EMAIL|ID>  Email address of the member, or id of an account (acc_…) for its
                                owner
          --url <URL>           URL of the dashboard [default: http://127.0.0.1:8080]
      -h, --help                Print help
    ");
}

#[test]
fn account_add_member_help() {
    insta::assert_snapshot!(help("account add-member"), @r"
    Adds a member and prints a sign-in link, valid once within 24 hours

    Usage: sheaf account add-member [OPTIONS] --account <EMAIL|ID> --email <EMAIL>

    Options:
          --account <EMAIL|ID>  Account, by email address or id (acc_…)
          --email <EMAIL>       Email address of the member
          --role <ROLE>         Role: reader, who can view, search and export, or editor, who can
                                also triage submissions and move them to the trash [default: reader]
          --form <FORM>         Restricts the member to this form; repeatable, up to 100 times
          --url <URL>           URL of the dashboard [default: http://127.0.0.1:8080]
      -h, --help                Print help
    ");
}

#[test]
fn account_set_member_help() {
    insta::assert_snapshot!(help("account set-member"), @r"
    Changes the role or the forms of a member, from their next request on

    Usage: sheaf account set-member [OPTIONS] --email <EMAIL> <--role <ROLE>|--form <FORM>|--all-forms>

    Options:
          --email <EMAIL>  Email address of the member
          --role <ROLE>    New role: reader or editor
          --form <FORM>    Restricts the member to this form, in place of earlier ones; repeatable,
                           up to 100 times
          --all-forms      Gives access to all forms, including later ones
      -h, --help           Print help
    ");
}

#[test]
fn account_people_help() {
    insta::assert_snapshot!(help("account people"), @r"
    Lists the members of an account, owner first

    Usage: sheaf account people [OPTIONS] --account <EMAIL|ID>

    Options:
          --account <EMAIL|ID>  Account, by email address or id (acc_…)
          --json                Print JSON instead of a table
      -h, --help                Print help
    ");
}

#[test]
fn account_remove_member_help() {
    insta::assert_snapshot!(help("account remove-member"), @r"
    Removes a member, other than the owner, and ends their sessions

    Usage: sheaf account remove-member [OPTIONS] --email <EMAIL>

    Options:
          --email <EMAIL>  Email address of the member
      -h, --help           Print help
    ");
}

#[test]
fn account_link_identity_help() {
    insta::assert_snapshot!(help("account link-identity"), @r"
    Links an identity of an authenticating proxy to a member

    Identities are never matched by email address: a user without a link has no access, unless the
    server creates accounts for new users (--provision).

    Usage: sheaf account link-identity [OPTIONS] --account <EMAIL|ID> --issuer <ISSUER> --subject <SUBJECT>

    Options:
          --account <EMAIL|ID>
              Email address of the member, or id of an account (acc_…) for its owner

          --issuer <ISSUER>
              Issuer: `header:` and the name of --identity-header, such as
              `header:x-forwarded-email`, or the value of --assertion-issuer

          --subject <SUBJECT>
              Name of the user at the issuer

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn account_unlink_identity_help() {
    insta::assert_snapshot!(help("account unlink-identity"), @r"
    Unlinks an identity and ends its sessions

    Usage: sheaf account unlink-identity [OPTIONS] --issuer <ISSUER> --subject <SUBJECT>

    Options:
          --issuer <ISSUER>    Issuer: `header:` and the name of --identity-header, such as
                               `header:x-forwarded-email`, or the value of --assertion-issuer
          --subject <SUBJECT>  Name of the user at the issuer
      -h, --help               Print help
    ");
}

#[test]
fn account_identities_help() {
    insta::assert_snapshot!(help("account identities"), @r"
    Lists the linked identities of an account's members

    Usage: sheaf account identities [OPTIONS] --account <EMAIL|ID>

    Options:
          --account <EMAIL|ID>  Account, by email address or id (acc_…)
          --json                Print JSON instead of a table
      -h, --help                Print help
    ");
}

#[test]
fn form_help() {
    insta::assert_snapshot!(help("form"), @r"
    Manages forms, fields and settings

    Usage: sheaf form [OPTIONS] <COMMAND>

    Commands:
      create      Creates a form and prints its id
      list        Lists the forms of an account in both modes, oldest first
      rename      Renames a form, or with --field one of its fields
      field       Hides, shows or deletes a field of a form
      duplicate   Copies a form and prints the id of the copy
      delete      Deletes a form with its submissions, spam and settings permanently
      analysis    Turns the analysis of a form's submissions on or off
      categories  Shows or sets the categories that the analysis assigns to a form's submissions
      show        Shows a form, its fields, and the address for submissions
      intake      Shows or changes the intake settings of a form
      help        Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn form_create_help() {
    insta::assert_snapshot!(help("form create"), @r"
    Creates a form and prints its id

    Usage: sheaf form create [OPTIONS] --account <EMAIL|ID> --name <NAME>

    Options:
          --account <EMAIL|ID>   Account, by email address or id (acc_…)
          --name <NAME>          Name of the form
          --mode <live|test>     Live data or test (sandbox) data [default: live]
          --field <NAME[:TYPE]>  Field of the form, in order; can be repeated. TYPE is text
                                 (default), long_text, number, boolean, choice, choices, rating,
                                 email, phone, url or date
          --analysis             Analyse the submissions
      -h, --help                 Print help
    ");
}

#[test]
fn form_list_help() {
    insta::assert_snapshot!(help("form list"), @r"
    Lists the forms of an account in both modes, oldest first

    Usage: sheaf form list [OPTIONS] --account <EMAIL|ID>

    Options:
          --account <EMAIL|ID>  Account, by email address or id (acc_…)
          --json                Print JSON instead of a table
      -h, --help                Print help
    ");
}

#[test]
fn account_set_plan_help() {
    insta::assert_snapshot!(help("account set-plan"), @r"
    Changes the plan of an account, effective immediately

    Usage: sheaf account set-plan [OPTIONS] <EMAIL|ID> <PLAN>

    Arguments:
      <EMAIL|ID>  Account, by email address or id (acc_…)
      <PLAN>      New plan: free, pro, business or enterprise

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn account_set_email_help() {
    insta::assert_snapshot!(help("account set-email"), @r"
    Changes the email address of an account's owner and signs them out everywhere

    Usage: sheaf account set-email [OPTIONS] <EMAIL|ID> <NEW>

    Arguments:
      <EMAIL|ID>  Account, by email address or id (acc_…)
      <NEW>       New email address of the owner

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn account_delete_help() {
    insta::assert_snapshot!(help("account delete"), @r"
    Deletes an account with its members, keys, forms and submissions permanently

    Access ends immediately; the rows of its forms are deleted in batches. If the command is
    interrupted, run it again or restart the server to finish.

    Usage: sheaf account delete [OPTIONS] <EMAIL|ID>

    Arguments:
      <EMAIL|ID>
              Account, by email address or id (acc_…)

    Options:
          --yes
              Do not ask for confirmation

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn form_field_help() {
    insta::assert_snapshot!(help("form field"), @r"
    Hides, shows or deletes a field of a form

    The dashboard does not offer a hidden field, but the field accepts answers and is exported.
    Answers of a deleted field stay in the submissions, and the form does not learn the field again.

    Usage: sheaf form field [OPTIONS] <CHANGE> <FORM> <FIELD>

    Arguments:
      <CHANGE>
              Change to make

              Possible values:
              - hide:   Hide the field in the dashboard
              - show:   Show the field in the dashboard again
              - delete: Remove the field from the form

      <FORM>
              Id of the form

      <FIELD>
              Id of the field, as shown by `sheaf form show`

    Options:
      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn form_duplicate_help() {
    insta::assert_snapshot!(help("form duplicate"), @r"
    Copies a form and prints the id of the copy

    The copy has the same fields, settings and categories, but no submissions. It is open for
    submissions.

    Usage: sheaf form duplicate [OPTIONS] <FORM>

    Arguments:
      <FORM>
              Id of the form

    Options:
          --name <NAME>
              Name of the copy; defaults to the name of the form with ` (copy)` appended

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn form_delete_help() {
    insta::assert_snapshot!(help("form delete"), @r"
    Deletes a form with its submissions, spam and settings permanently

    The form is gone immediately; its rows are deleted in batches. If the command is interrupted,
    run it again or restart the server to finish.

    Usage: sheaf form delete [OPTIONS] <FORM>

    Arguments:
      <FORM>
              Id of the form

    Options:
          --yes
              Do not ask for confirmation

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn form_show_help() {
    insta::assert_snapshot!(help("form show"), @r"
    Shows a form, its fields, and the address for submissions

    Usage: sheaf form show [OPTIONS] <FORM>

    Arguments:
      <FORM>  Id of the form

    Options:
          --url <URL>  URL of the server, for the submission address [default:
                       http://127.0.0.1:8080]
          --json       Print JSON instead of a table
      -h, --help       Print help
    ");
}

#[test]
fn key_help() {
    insta::assert_snapshot!(help("key"), @r"
    Creates, lists and revokes API keys

    Usage: sheaf key [OPTIONS] <COMMAND>

    Commands:
      create  Creates an API key and prints its secret once
      list    Lists the API keys of an account, newest first
      revoke  Revokes an API key immediately and permanently
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn key_create_help() {
    insta::assert_snapshot!(help("key create"), @r"
    Creates an API key and prints its secret once

    Usage: sheaf key create [OPTIONS] --account <EMAIL|ID> --name <NAME> --mode <live|test>

    Options:
          --account <EMAIL|ID>   Account, by email address or id (acc_…)
          --name <NAME>          Name of the key, 1 to 100 characters
          --mode <live|test>     Data that the key can access: live or test (sandbox)
          --read-only            Refuses requests that change data
          --form <FORM>          Restricts the key to this form of the mode; repeatable, up to 100
                                 times
          --expires <DATE|DAYS>  End of the key: a date in UTC, a time with its offset, or a number
                                 of days from now (30d)
      -h, --help                 Print help
    ");
}

#[test]
fn key_list_help() {
    insta::assert_snapshot!(help("key list"), @r"
    Lists the API keys of an account, newest first

    Usage: sheaf key list [OPTIONS] --account <EMAIL|ID>

    Options:
          --account <EMAIL|ID>  Account, by email address or id (acc_…)
          --json                Print JSON instead of a table
      -h, --help                Print help
    ");
}

#[test]
fn key_revoke_help() {
    insta::assert_snapshot!(help("key revoke"), @r"
    Revokes an API key immediately and permanently

    Usage: sheaf key revoke [OPTIONS] <KEY_ID>

    Arguments:
      <KEY_ID>  Id of the key, as listed by `sheaf key list`

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn import_help() {
    insta::assert_snapshot!(help("import"), @r"
    Imports submissions from a file, all or nothing

    NDJSON: one submission per line, in the format of the API. Only `answers` is required. A missing
    `id` is generated, and a missing `metadata.submitted_at` is the time of the import. Unknown
    answer keys become fields of the form.

    CSV (--csv): the header row identifies the tool that wrote the file, such as Google Forms,
    Microsoft Forms, Typeform or Sheaf. Columns are matched to fields by name; other columns become
    new fields with the type that fits all cells. UTM values become metadata. Exports reproduce the
    text of each cell; an empty cell is no answer.

    The submission time is the column that the tool uses for it, or a column recognised by its name
    and cells. If a column may or may not be the submission time, the import stops and names the
    option to set. Without such a column, all submissions get the time of the import, each a
    microsecond before the one above it, so that lists and exports keep the order of the file.

    An invalid line is reported with its number and the reason, and no submission is imported.
    Submissions become visible together at the end. To resume an interrupted import, run the same
    command again within seven days.

    Usage: sheaf import --form <FORM> [OPTIONS] <FILE>
           sheaf import --form <FORM> [OPTIONS] --csv <FILE>

    Arguments:
      [FILE]
              NDJSON file; `-` is standard input

    Options:
          --form <FORM>
              Id of the form to import into

          --csv <FILE>
              CSV file instead; `-` is standard input

          --dry-run
              Show the result and all problems without importing

          --new-ids
              Generate new ids, even if the file has ids

          --restart
              Start over: discard an interrupted import into the form

          --from <TOOL>
              Tool that wrote the CSV file: google, microsoft, typeform, tally, jotform,
              surveymonkey, qualtrics, kobo, odk, limesurvey, nextcloud, formbricks, netlify,
              formspree, airtable, sheaf or plain; detected from the header row by default

          --map <HEAD=TARGET>
              Map a column, for example `When=submitted_at`, to a field by its key or name, or to
              submitted_at, started_at, completion_time_seconds, ip_country, device, browser,
              utm_source, utm_medium, utm_campaign, sentiment, sentiment_score, categories,
              language, id or skip; can be repeated

          --time <COLUMN>
              Column with the submission times, the same as `--map COLUMN=submitted_at`

              `now` uses the time of the import.

          --dates <ORDER>
              Order of dates such as `3/4/26`: dmy, mdy or ymd

              Detected from the times in the file and its language by default.

          --time-zone <ZONE>
              Time zone of times without one, such as `Europe/Berlin` or `+02:00`

              Defaults to UTC. Also decides the meaning of abbreviations such as `IST`.

          --encoding <NAME>
              Encoding of the file

              UTF-8, UTF-16 or, for CSV, Windows-1252 is detected by default.

          --delimiter <NAME>
              Delimiter of cells: comma, semicolon, tab or pipe

              Detected from a line such as `sep=;` or the first rows by default.

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn sample_help() {
    insta::assert_snapshot!(help("sample"), @r"
    Inserts generated sample submissions into a form

    The same form, seed, count and --until give the same submissions. They contain several languages
    and scripts, commas, quotes, line breaks, formulas, missing values and equal times. A form
    without fields gets default fields.

    Usage: sheaf sample [OPTIONS] --form <FORM> --count <COUNT> --seed <SEED>

    Options:
          --form <FORM>
              Id of the form to fill

          --count <COUNT>
              Number of submissions, 1 to 10,000,000

          --seed <SEED>
              Seed of the generator; different seeds give different submissions

          --until <INSTANT>
              Time before which all submissions are dated (ISO 8601)

              Defaults to the start of the current hour.

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn openapi_help() {
    insta::assert_snapshot!(help("openapi"), @r"
    Prints the API description as JSON, which a server also serves at /openapi.json

    Usage: sheaf openapi [OPTIONS]

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn backup_help() {
    insta::assert_snapshot!(help("backup"), @r"
    Writes a consistent copy of the database file, also while a server runs

    The copy gets its name only when it is complete, verified and on disk. To restore it, put it
    into an empty data directory as `sheaf.db`.

    Usage: sheaf backup [OPTIONS] <FILE>

    Arguments:
      <FILE>
              File to write, which must not exist

    Options:
      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn check_help() {
    insta::assert_snapshot!(help("check"), @r"
    Checks a database file or a backup for damage, also while a server runs

    Reads all data, and compares each submission with the columns derived from it. Prints the number
    of submissions if the file is intact; otherwise prints the damage, and the exit status is 1.

    Usage: sheaf check [OPTIONS] [FILE]

    Arguments:
      [FILE]
              Database file to check, instead of the one in the data directory

    Options:
      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn form_intake_help() {
    insta::assert_snapshot!(help("form intake"), @r"
    Shows or changes the intake settings of a form

    Usage: sheaf form intake [OPTIONS] <FORM>

    Arguments:
      <FORM>
              Id of the form

    Options:
          --redirect <URL|none>
              Allowed target of `_redirect`: an origin such as `https://example.com`, or a URL with
              a path

              Can be repeated, `none` allows no redirect.

          --origin <ORIGIN|any>
              Origin of pages that may submit, such as `https://example.com`

              Can be repeated, `any` allows all.

          --seconds-min <SECONDS>
              Minimum completion time in seconds

              Faster submissions are marked as spam, 0 disables the check.

          --honeypot <on|off>
              Whether submissions that fill the hidden input `_gotcha` are marked as spam

          --learn <on|off|auto>
              Whether unknown answer keys become fields, at most 50 a day and 200 in total

              `auto` is on while the form has no fields.

          --strict <on|off>
              Whether submissions with unknown keys are rejected

              Otherwise keys that do not become fields are stored with the submission.

          --address-limit <COUNT|none>
              Maximum submissions per network address in 15 minutes

          --form-limit <COUNT|none>
              Maximum submissions of the form in 15 minutes

          --closed <on|off>
              Whether the form is closed; it then answers 403 and accepts no submissions

          --closes-at <INSTANT|never>
              Closing time of the form, such as 2026-03-01T12:00:00Z

          --closes-after <COUNT|none>
              Close the form while it holds this many submissions or more

          --closed-message <TEXT>
              One-line message shown while the form is closed

              Empty for a default in the browser's language.

          --json
              Print JSON instead of a table

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn spam_help() {
    insta::assert_snapshot!(help("spam"), @r"
    Lists, releases and deletes submissions marked as spam

    Usage: sheaf spam [OPTIONS] <COMMAND>

    Commands:
      list     Lists the spam of a form, newest first
      release  Moves a submission from spam to the form, with its original submission time
      delete   Deletes one or all spam submissions of a form permanently
      help     Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn spam_list_help() {
    insta::assert_snapshot!(help("spam list"), @r"
    Lists the spam of a form, newest first

    Usage: sheaf spam list [OPTIONS] --form <FORM>

    Options:
          --form <FORM>  Id of the form
          --json         Print JSON instead of a table
      -h, --help         Print help
    ");
}

#[test]
fn spam_release_help() {
    insta::assert_snapshot!(help("spam release"), @r"
    Moves a submission from spam to the form, with its original submission time

    Usage: sheaf spam release [OPTIONS] --form <FORM> <SUBMISSION>

    Arguments:
      <SUBMISSION>  Id of the submission, as listed by `sheaf spam list`

    Options:
          --form <FORM>  Id of the form
      -h, --help         Print help
    ");
}

#[test]
fn spam_delete_help() {
    insta::assert_snapshot!(help("spam delete"), @r"
    Deletes one or all spam submissions of a form permanently

    Usage: sheaf spam delete [OPTIONS] --form <FORM> [SUBMISSION]

    Arguments:
      [SUBMISSION]  Id of the submission, as listed by `sheaf spam list`

    Options:
          --form <FORM>  Id of the form
          --all          Delete all spam of the form
      -h, --help         Print help
    ");
}

#[test]
fn account_usage_help() {
    insta::assert_snapshot!(help("account usage"), @r"
    Shows how many submissions were analysed today, the daily limit and how many are pending

    Usage: sheaf account usage [OPTIONS] --account <EMAIL|ID>

    Options:
          --account <EMAIL|ID>
              Account, by email address or id (acc_…)

          --insight-limit <PLAN=COUNT>
              Submissions analysed per account and day (UTC), such as `pro=5000`

              Can be repeated for each plan. Defaults: free 100, pro 1000, business 10000,
              enterprise 100000. Test forms have a separate limit of the same size.

              [env: SHEAF_INSIGHT_LIMIT=]

          --json
              Print JSON instead of a table

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn form_analysis_help() {
    insta::assert_snapshot!(help("form analysis"), @r"
    Turns the analysis of a form's submissions on or off

    A running server analyses new and existing submissions, newest first. Turning the analysis off
    keeps existing results.

    Usage: sheaf form analysis [OPTIONS] <SWITCH> <FORM>

    Arguments:
      <SWITCH>
              Whether submissions are analysed

              Possible values:
              - on:  Analyse existing and new submissions
              - off: Do not analyse new submissions

      <FORM>
              Id of the form

    Options:
          --again
              Analyse submissions with results again, for example after a change of the categories

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn form_categories_help() {
    insta::assert_snapshot!(help("form categories"), @r#"
    Shows or sets the categories that the analysis assigns to a form's submissions

    Usage: sheaf form categories [OPTIONS] <FORM>

    Arguments:
      <FORM>
              Id of the form

    Options:
          --set <FILE>
              JSON file with the categories, in the format of --json

              `-` is standard input. Example: `[{"name": "delivery", "words": ["deliver*", "too
              late"]}]`, where `deliver*` matches every word with this prefix.

          --reset
              Restore the default categories

          --json
              Print JSON instead of a table

      -h, --help
              Print help (see a summary with '-h')
    "#);
}

#[test]
fn audit_help() {
    insta::assert_snapshot!(help("audit"), @r"
    Verifies and exports the audit log

    Usage: sheaf audit [OPTIONS] <COMMAND>

    Commands:
      verify  Verifies that the audit log is complete and unchanged
      export  Prints the audit log, newest first; the export itself is logged
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    insta::assert_snapshot!(help("audit verify"), @r"
    Verifies that the audit log is complete and unchanged

    Prints the number of entries of each account, and the number and hash of the last entry. Save
    these outside of the data, and pass them as --end later to prove that the log up to there is
    unchanged. If the log was changed, prints the first wrong entry of each account; the exit status
    is 1.

    Usage: sheaf audit verify [OPTIONS] [FILE]

    Arguments:
      [FILE]
              Database file to verify, instead of the one in the data directory

    Options:
          --end <NUMBER:HASH>
              Number and hash of an entry that the log must contain, as printed by an earlier
              `verify`

              Can be repeated.

      -h, --help
              Print help (see a summary with '-h')
    ");
    insta::assert_snapshot!(help("audit export"), @r"
    Prints the audit log, newest first; the export itself is logged

    Usage: sheaf audit export [OPTIONS]

    Options:
          --account <EMAIL|ID>
              Account, by email address or id (acc_…)

              Without it, entries that belong to no account.

          --from <INSTANT>
              Only entries at or after this time (ISO 8601)

          --to <INSTANT>
              Only entries before this time (ISO 8601)

          --format <FORMAT>
              Output format

              Possible values:
              - ndjson: One JSON object per line
              - csv:    Comma-separated values

              [default: ndjson]

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn health_help() {
    insta::assert_snapshot!(help("health"), @r"
    Checks whether a running server is ready; the exit status is 0 if it is, else 1

    For the health check of a container without other tools.

    Usage: sheaf health [OPTIONS]

    Options:
      -h, --help
              Print help (see a summary with '-h')

    Operation:
          --operator-listen <ADDR>
              Address and port of /healthz, /readyz and /metrics, which need no key

              Bind it to this machine or a private network.

              [env: SHEAF_OPERATOR_LISTEN=]

          --alive
              Check only that the process is alive, whether or not it is ready
    ");
}

#[test]
fn dump_help() {
    insta::assert_snapshot!(help("dump"), @r"
    Writes all data to one archive, also while a server runs

    The archive is a consistent snapshot of a data directory or a database: accounts, members, keys,
    sessions, forms, submissions, spam, trash, insights, webhooks with their deliveries,
    notifications with their pending e-mails, and the audit log. Submissions of an unfinished import
    are not included. `sheaf restore` reads it into a directory or a database. The archive contains
    secrets: the file is readable by its owner only, and `--recipient` encrypts it.

    Prints the number of rows and a checksum of each table.

    Usage: sheaf dump [OPTIONS] <FILE|->

    Arguments:
      <FILE|->
              File to write, which must not exist; `-` is standard output

    Options:
          --recipient <age1…>
              Encrypt the archive to this age recipient; can be repeated

          --json
              Print JSON instead of a table

              Prints nothing if the archive goes to standard output.

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn restore_help() {
    insta::assert_snapshot!(help("restore"), @r"
    Restores an archive into an empty data directory or database, and verifies it

    No server may use the target meanwhile. Keys, sessions and cursors stay valid. At the end the
    target is read again and compared with the archive. A failed restore leaves no data behind.

    Prints the number of rows and a checksum of each table.

    Usage: sheaf restore [OPTIONS] <FILE|->

    Arguments:
      <FILE|->
              Archive to read; `-` is standard input

    Options:
          --identity <FILE>
              File with age identities (AGE-SECRET-KEY-1…) that decrypt the archive

          --json
              Print JSON instead of a table

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn webhook_help() {
    insta::assert_snapshot!(help("webhook"), @r"
    Manages webhooks: HTTP requests to other programs about the submissions of a form

    A running server sends the requests.

    Usage: sheaf webhook [OPTIONS] <COMMAND>

    Commands:
      create      Creates a webhook and prints its id and secret as JSON
      list        Lists the webhooks of a form, oldest first
      delete      Deletes a webhook with its pending deliveries and its log permanently
      rotate      Replaces the secret of a webhook and prints the new one as JSON
      enable      Enables a webhook; its pending deliveries continue
      disable     Disables a webhook; its pending deliveries wait, and new events are not sent
      test        Sends a test event with an invented submission, and waits for the outcome
      deliveries  Lists the deliveries of a webhook with every attempt, newest first
      replay      Sends a delivery again, with the same id and body
      help        Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn webhook_create_help() {
    insta::assert_snapshot!(help("webhook create"), @r"
    Creates a webhook and prints its id and secret as JSON

    The secret verifies signatures. It is printed only once.

    Usage: sheaf webhook create [OPTIONS] --form <FORM> --url <URL>

    Options:
          --form <FORM>
              Id of the form

          --url <URL>
              URL of the receiver, with `https`

          --event <EVENT>
              Event to send; can be repeated. Defaults to `submission.created`

              [possible values: submission.created, submission.analyzed, submission.updated,
              submission.deleted]

          --format <FORMAT>
              Format of the requests

              [default: json]
              [possible values: json, slack, discord, teams, ntfy]

      -h, --help
              Print help (see a summary with '-h')

    Webhooks:
          --webhook-allow-http
              Allow webhooks without TLS, to `http://` URLs

              [env: SHEAF_WEBHOOK_ALLOW_HTTP=]

          --webhook-allow-network <CIDR>
              Allow webhooks to this network, such as `10.0.0.0/8`, although it is not public

              Can be repeated. Everyone who can create webhooks can then send requests to all
              servers of the network.

              [env: SHEAF_WEBHOOK_ALLOW_NETWORK=]
    ");
}

#[test]
fn webhook_list_help() {
    insta::assert_snapshot!(help("webhook list"), @r"
    Lists the webhooks of a form, oldest first

    Usage: sheaf webhook list [OPTIONS] --form <FORM>

    Options:
          --form <FORM>  Id of the form
          --json         Print JSON instead of a table
      -h, --help         Print help
    ");
}

#[test]
fn webhook_delete_help() {
    insta::assert_snapshot!(help("webhook delete"), @r"
    Deletes a webhook with its pending deliveries and its log permanently

    Usage: sheaf webhook delete [OPTIONS] <WEBHOOK>

    Arguments:
      <WEBHOOK>  Id of the webhook, as listed by `sheaf webhook list`

    Options:
          --yes   Do not ask for confirmation
      -h, --help  Print help
    ");
}

#[test]
fn webhook_rotate_help() {
    insta::assert_snapshot!(help("webhook rotate"), @r"
    Replaces the secret of a webhook and prints the new one as JSON

    For 24 hours, requests are signed with both secrets, and the secret cannot be replaced again.
    The new one is printed only once.

    Usage: sheaf webhook rotate [OPTIONS] <WEBHOOK>

    Arguments:
      <WEBHOOK>
              Id of the webhook, as listed by `sheaf webhook list`

    Options:
      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn webhook_enable_help() {
    insta::assert_snapshot!(help("webhook enable"), @r"
    Enables a webhook; its pending deliveries continue

    Usage: sheaf webhook enable [OPTIONS] <WEBHOOK>

    Arguments:
      <WEBHOOK>  Id of the webhook, as listed by `sheaf webhook list`

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn webhook_disable_help() {
    insta::assert_snapshot!(help("webhook disable"), @r"
    Disables a webhook; its pending deliveries wait, and new events are not sent

    Usage: sheaf webhook disable [OPTIONS] <WEBHOOK>

    Arguments:
      <WEBHOOK>  Id of the webhook, as listed by `sheaf webhook list`

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn webhook_test_help() {
    insta::assert_snapshot!(help("webhook test"), @r"
    Sends a test event with an invented submission, and waits for the outcome

    A server must be running. Prints the status of the response; the exit status is 1 if the first
    attempt failed or has not ended in time.

    Usage: sheaf webhook test [OPTIONS] <WEBHOOK>

    Arguments:
      <WEBHOOK>
              Id of the webhook, as listed by `sheaf webhook list`

    Options:
          --wait <SECONDS>
              Maximum time to wait for the outcome, in seconds

              [default: 20]

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn webhook_deliveries_help() {
    insta::assert_snapshot!(help("webhook deliveries"), @r"
    Lists the deliveries of a webhook with every attempt, newest first

    Usage: sheaf webhook deliveries [OPTIONS] <WEBHOOK>

    Arguments:
      <WEBHOOK>  Id of the webhook, as listed by `sheaf webhook list`

    Options:
          --limit <COUNT>  Maximum number of deliveries, 1 to 10,000 [default: 20]
          --json           Print JSON instead of a table
      -h, --help           Print help
    ");
}

#[test]
fn webhook_replay_help() {
    insta::assert_snapshot!(help("webhook replay"), @r"
    Sends a delivery again, with the same id and body

    Usage: sheaf webhook replay [OPTIONS] <DELIVERY>

    Arguments:
      <DELIVERY>  Id of the delivery, as listed by `sheaf webhook deliveries`

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn notification_help() {
    insta::assert_snapshot!(help("notification"), @r"
    Manages notifications: e-mails about the submissions of a form

    A running server with --smtp-url sends them.

    Usage: sheaf notification [OPTIONS] <COMMAND>

    Commands:
      add     Adds an address that gets e-mails about a form, and prints its id
      list    Lists the addresses of a form with their state, oldest first
      remove  Removes an address with its pending e-mails
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn notification_add_help() {
    insta::assert_snapshot!(help("notification add"), @r"
    Adds an address that gets e-mails about a form, and prints its id

    The address needs no confirmation by its reader.

    Usage: sheaf notification add [OPTIONS] --form <FORM> --email <ADDRESS>

    Options:
          --form <FORM>
              Id of the form

          --email <ADDRESS>
              Address

          --every <TIME>
              One e-mail for each submission at once, or for the submissions of an hour or a day

              [default: submission]
              [possible values: submission, hour, day]

          --view <VIEW>
              Id of a shared saved view, whose filter selects the submissions of hourly and daily
              e-mails

              `GET /account/forms/{form_id}/views` lists views.

          --content <CONTENT>
              Content of e-mails: all answers, or only a link to the dashboard

              [default: full]
              [possible values: full, link]

          --time-zone <NAME>
              Time zone of times and of daily e-mails, which are sent at 08:00, such as
              `Europe/Berlin`

              [default: UTC]

          --language <LANGUAGE>
              Language of e-mails

              [default: en]
              [possible values: en, de]

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn notification_list_help() {
    insta::assert_snapshot!(help("notification list"), @r"
    Lists the addresses of a form with their state, oldest first

    Usage: sheaf notification list [OPTIONS] --form <FORM>

    Options:
          --form <FORM>  Id of the form
          --json         Print JSON instead of a table
      -h, --help         Print help
    ");
}

#[test]
fn notification_remove_help() {
    insta::assert_snapshot!(help("notification remove"), @r"
    Removes an address with its pending e-mails

    Usage: sheaf notification remove [OPTIONS] <NOTIFICATION>

    Arguments:
      <NOTIFICATION>  Id of the notification, as listed by `sheaf notification list`

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn mail_help() {
    insta::assert_snapshot!(help("mail"), @r"
    Tests the options of e-mail

    Usage: sheaf mail [OPTIONS] <COMMAND>

    Commands:
      test  Sends a test e-mail, and prints what the mail server answered
      help  Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn mail_test_help() {
    insta::assert_snapshot!(help("mail test"), @r"
    Sends a test e-mail, and prints what the mail server answered

    Needs no running server. The exit status is 1 if the mail server did not accept the e-mail.

    Usage: sheaf mail test [OPTIONS] <ADDRESS>

    Arguments:
      <ADDRESS>
              Address of the recipient

    Options:
      -h, --help
              Print help (see a summary with '-h')

    E-mail:
          --smtp-url <URL>
              Mail server: `smtps://USER@HOST` (TLS), or `smtp://USER@HOST` (STARTTLS if offered)

              The ports default to 465 and 587. `?tls=required` and `?tls=none` change the use of
              STARTTLS. Without this option no e-mail is sent. Needs --mail-from.

              [env: SHEAF_SMTP_URL]

          --smtp-password-file <FILE>
              File with the password for the mail server; must not be world-readable

              [env: SHEAF_SMTP_PASSWORD_FILE=]

          --smtp-ca <FILE>
              File with CA certificates (PEM) to trust for the mail server, in addition to the
              public ones

          --mail-from <MAILBOX>
              Sender of e-mails, such as `Forms <forms@example.com>`

              [env: SHEAF_MAIL_FROM=]

          --dkim-key-file <FILE>
              File with a private key (PEM) that signs e-mails with DKIM; must not be world-readable

          --dkim-selector <NAME>
              DKIM selector: the public key is the DNS record `NAME._domainkey` of the sender's
              domain
    ");
}
