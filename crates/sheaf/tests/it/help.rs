//! The manual: `--help` of every command, so that a change of the command line is seen.

use crate::world::{binary, good};

/// Returns the help of a command, without the options that all commands have.
fn help(command: &str) -> String {
    let text = whole_help(command);
    let (own, shared) = text.split_once("\nData options:\n").unwrap();
    assert_eq!(shared.matches(" --").count(), 4, "{command}");
    own.trim_end().to_owned()
}

fn whole_help(command: &str) -> String {
    let output = binary().args(command.split_whitespace()).arg("--help").output().unwrap();
    let text = good(&output);
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn of_the_binary() {
    insta::assert_snapshot!(whole_help(""), @r"
    Form submissions: the service, the gateway and the dashboard in one binary.

    The shortest way in, with sample data:

      sheaf serve --listen 127.0.0.1:8080 --sample

    The shortest way in, with your own:

      sheaf account create --email you@example.com --plan pro
      sheaf form create --account you@example.com --name Feedback --field Name --field Score:rating
      sheaf import --form frm_… answers.ndjson
      sheaf serve --listen 127.0.0.1:8080

    Every command works while a server runs on the same data, and the server sees its effect at
    once. Errors go to standard error; the exit status is then 1, or 2 where the command line
    itself is wrong.

    Usage: sheaf [OPTIONS] <COMMAND>

    Commands:
      serve      Runs everything in one process: the API, the gateway and the dashboard
      service    Runs the API of the specification, below /v1, and the intake of forms, below /f,
                 alone
      gateway    Runs the gateway and the dashboard in front of another server that speaks the
                 specification
      account    Creates and lists accounts, and lets their owners and readers in
      form       Creates and shows forms, and sets what they take in
      key        Creates, lists and revokes API keys
      spam       Lists, releases and deletes what forms have set aside as spam
      import     Imports submissions from a file, all or nothing
      sample     Inserts made-up submissions, the same for the same form, seed, count and --until
      audit      Verifies and exports the audit log
      openapi    Prints the document of the API as JSON, which a server also gives at /openapi.json
      dashboard  Gives the dashboard out as files, for a web server that serves it in the gateway's
                 place
      backup     Writes a consistent copy of the database to a new file, also while a server runs
      dump       Writes everything into one archive, from a file or a database, also while a server
                 runs
      restore    Reads an archive into a directory without data or an empty database, and verifies
                 it
      health     Asks a running server whether it is ready; the exit status is 0 if so, else 1
      check      Looks through the database, or a backup of it, for damage, also while a server runs
      help       Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Data options:
          --data <DIR>
              The directory of the database and of all other files, created if it is missing;
              `./data` by default

              [env: SHEAF_DATA=]

          --database-url <URL>
              Use this PostgreSQL database in place of the data directory:
              `postgres://NAME@HOST/DATABASE?sslmode=verify-full`. Every user of this machine can
              read the command line, so give a URL with a password by the variable or by a file

              [env: SHEAF_DATABASE_URL]

          --database-url-file <FILE>
              A file with that URL; not every user may be able to read it

              [env: SHEAF_DATABASE_URL_FILE=]

          --database-ca <FILE>
              A file with the certificates (PEM) of the only authorities that are trusted for the
              database

              [env: SHEAF_DATABASE_CA=]
    ");
}

#[test]
#[expect(clippy::too_many_lines, reason = "as long as the manual")]
fn of_serve() {
    insta::assert_snapshot!(help("serve"), @r"
    Runs everything in one process: the API, the gateway and the dashboard

    Prints where it listens. If the only account has no password, it prints a sign-in link on a
    terminal, and elsewhere the command that makes one. Ends on Ctrl-C or SIGTERM after the requests
    under way are answered, within 30 seconds; a second Ctrl-C ends it at once.

    Usage: sheaf serve [OPTIONS]

    Options:
          --listen <ADDR|unix:PATH>
              Address and port to listen on, of which port 0 takes a free one, which is then
              printed; or a socket for proxies of this machine, `unix:/run/sheaf/sheaf.sock`, which
              are believed without an address or a secret. May be given several times

              [default: 127.0.0.1:8080]

          --socket-mode <OCTAL>
              Who may connect to a socket: the permissions of its file; left out, these are 0660,
              for the server's user and its group

          --behind-tls
              Something in front does TLS: session cookies are sent over TLS only. If it runs on
              this machine, clients are told apart by the last address in X-Forwarded-For; if it
              does not, as with containers, name it with --trusted-proxy as well

          --trusted-proxy <CIDR>
              The address of a proxy in front, or a network such as `172.18.0.0/24`; may be given
              several times. Only these proxies are trusted then: clients are told apart by the last
              address in X-Forwarded-For that is not theirs

          --tls-cert <FILE>
              A file of the certificate (PEM), and behind it those that vouch for it: TLS is spoken
              here, and nothing else. Read again on SIGHUP, and when it or the key's file changes

          --tls-key <FILE>
              A file of its private key (PEM), which not everybody may read

          --operator-listen <ADDR>
              Address and port on which operators ask, without a key: /healthz, /readyz and
              /metrics; keep it to this machine or a private network

              [env: SHEAF_OPERATOR_LISTEN=]

          --linger <SECONDS>
              So many seconds after the signal to end, connections are still taken, while /readyz
              says already that none should be sent: for balancers that have to notice

              [default: 0]

          --identity-header <NAME>
              The header in which a trusted proxy names who is signed in with it, for example
              `X-Forwarded-Email`. Passwords and sign-in links are off then, and from everybody else
              the header is refused. Needs --trusted-proxy and --proxy-secret-file, or a socket to
              listen on

          --proxy-secret-file <FILE>
              A file of a secret that the proxy sends along with every request: 16 to 256
              characters, which not everybody may read

          --proxy-secret-header <NAME>
              The header in which it sends that secret; left out, it is X-Sheaf-Proxy-Secret

          --assertion-header <NAME>
              The header in which a proxy hands on an assertion of who is signed in, signed as a
              JWT, for example Cf-Access-Jwt-Assertion, or Authorization; instead of
              --identity-header. Needs the three that follow, and no trusted addresses

          --assertion-issuer <ISSUER>
              Who signs assertions: their `iss`

          --assertion-audience <NAME>
              For whom they are meant: their `aud`

          --assertion-keys <FILE|URL>
              A file of the public keys that sign them (a JSON Web Key Set), or the https address of
              one, which is asked again every hour

          --assertion-ca <FILE>
              A file of certificates (PEM) of the authorities that may vouch for that address, in
              place of the public ones

          --assertion-claim <CLAIM>
              The claim that says who somebody is; left out, it is `sub`

          --provision <PLAN>
              Give a person whom nobody here knows an account of their own, of this plan: free, pro,
              business or enterprise. Without it, they are told whom to ask. Not for `sheaf gateway`

          --sign-out-url <URL>
              Where one signs out of the proxy, too: an https address, or a path such as
              `/oauth2/sign_out`

          --insight-limit <PLAN=COUNT>
              How many submissions of an account are analysed in a day (UTC), in place of the plan's
              100, 1000, 10000 or 100000, for example `pro=5000`; may be given for each plan. Test
              forms have as many once more

              [env: SHEAF_INSIGHT_LIMIT=]

          --no-insight
              Analyse nothing: what is pending stays so

          --insight-url <URL>
              Let another service analyse, by chat completions as `OpenAI` has them; this is what
              stands before `/chat/completions`. It gets the prose of answers and the form's
              categories. Without it, this process analyses, and nothing leaves the machine

          --insight-model <NAME>
              The model that it is to use

          --insight-key-file <FILE>
              A file that holds the key for it

          --insight-ca <FILE>
              A file of certificates (PEM) of the authorities that may vouch for it, in place of the
              public ones

          --plan-limits <LIMITS>
              Limits of your own for a plan, in place of the specification's, for example
              `pro=5000/100`: requests of a key in any 15 minutes, and in any second; may be given
              for each plan

          --instances <COUNT>
              How many instances there are at least: if the database does not answer, each lets in
              its share of every limit. Those that are running are counted by themselves

              [env: SHEAF_INSTANCES=]
              [default: 1]

          --search-memory <MIB>
              How much memory the texts of large forms may take, so that searching them is quick; a
              form that has no room is searched in the file

              [default: 1024]

          --replica-url <URL>
              The address of a replica of the database, which then does exports, summaries and
              searches as long as it knows all that the database knows

              [env: SHEAF_REPLICA_URL]

          --replica-url-file <FILE>
              A file of that address, which not everybody may read

              [env: SHEAF_REPLICA_URL_FILE=]

          --database-connections <COUNT>
              Most connections of this server to the database; a quarter as many come beside them
              for what takes long

              [default: 16]

          --public-url <URL>
              Where browsers find the dashboard, for sign-in links; `https://…` implies --behind-tls

          --geoip-db <FILE>
              A database of countries by network address, in the format MMDB; read at start

          --country-header <NAME>
              The header in which a proxy in front names the client's country, such as CF-IPCountry.
              It counts only from this machine with --behind-tls, or from what --trusted-proxy names

          --sample
              Fill an empty data directory with an account, three forms and sample submissions, and
              print a sign-in link at every start; without this, no data is ever made up

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_service() {
    insta::assert_snapshot!(help("service"), @r"
    Runs the API of the specification, below /v1, and the intake of forms, below /f, alone

    Usage: sheaf service [OPTIONS]

    Options:
          --listen <ADDR|unix:PATH>       Address and port to listen on, of which port 0 takes a
                                          free one, which is then printed; or a socket for proxies
                                          of this machine, `unix:/run/sheaf/sheaf.sock`, which are
                                          believed without an address or a secret. May be given
                                          several times [default: 127.0.0.1:8080]
          --socket-mode <OCTAL>           Who may connect to a socket: the permissions of its file;
                                          left out, these are 0660, for the server's user and its
                                          group
          --behind-tls                    Something in front does TLS: session cookies are sent over
                                          TLS only. If it runs on this machine, clients are told
                                          apart by the last address in X-Forwarded-For; if it does
                                          not, as with containers, name it with --trusted-proxy as
                                          well
          --trusted-proxy <CIDR>          The address of a proxy in front, or a network such as
                                          `172.18.0.0/24`; may be given several times. Only these
                                          proxies are trusted then: clients are told apart by the
                                          last address in X-Forwarded-For that is not theirs
          --tls-cert <FILE>               A file of the certificate (PEM), and behind it those that
                                          vouch for it: TLS is spoken here, and nothing else. Read
                                          again on SIGHUP, and when it or the key's file changes
          --tls-key <FILE>                A file of its private key (PEM), which not everybody may
                                          read
          --operator-listen <ADDR>        Address and port on which operators ask, without a key:
                                          /healthz, /readyz and /metrics; keep it to this machine or
                                          a private network [env: SHEAF_OPERATOR_LISTEN=]
          --linger <SECONDS>              So many seconds after the signal to end, connections are
                                          still taken, while /readyz says already that none should
                                          be sent: for balancers that have to notice [default: 0]
          --insight-limit <PLAN=COUNT>    How many submissions of an account are analysed in a day
                                          (UTC), in place of the plan's 100, 1000, 10000 or 100000,
                                          for example `pro=5000`; may be given for each plan. Test
                                          forms have as many once more [env: SHEAF_INSIGHT_LIMIT=]
          --no-insight                    Analyse nothing: what is pending stays so
          --insight-url <URL>             Let another service analyse, by chat completions as
                                          `OpenAI` has them; this is what stands before
                                          `/chat/completions`. It gets the prose of answers and the
                                          form's categories. Without it, this process analyses, and
                                          nothing leaves the machine
          --insight-model <NAME>          The model that it is to use
          --insight-key-file <FILE>       A file that holds the key for it
          --insight-ca <FILE>             A file of certificates (PEM) of the authorities that may
                                          vouch for it, in place of the public ones
          --plan-limits <LIMITS>          Limits of your own for a plan, in place of the
                                          specification's, for example `pro=5000/100`: requests of a
                                          key in any 15 minutes, and in any second; may be given for
                                          each plan
          --instances <COUNT>             How many instances there are at least: if the database
                                          does not answer, each lets in its share of every limit.
                                          Those that are running are counted by themselves [env:
                                          SHEAF_INSTANCES=] [default: 1]
          --search-memory <MIB>           How much memory the texts of large forms may take, so that
                                          searching them is quick; a form that has no room is
                                          searched in the file [default: 1024]
          --replica-url <URL>             The address of a replica of the database, which then does
                                          exports, summaries and searches as long as it knows all
                                          that the database knows [env: SHEAF_REPLICA_URL]
          --replica-url-file <FILE>       A file of that address, which not everybody may read [env:
                                          SHEAF_REPLICA_URL_FILE=]
          --database-connections <COUNT>  Most connections of this server to the database; a quarter
                                          as many come beside them for what takes long [default: 16]
          --geoip-db <FILE>               A database of countries by network address, in the format
                                          MMDB; read at start
          --country-header <NAME>         The header in which a proxy in front names the client's
                                          country, such as CF-IPCountry. It counts only from this
                                          machine with --behind-tls, or from what --trusted-proxy
                                          names
      -h, --help                          Print help
    ");
}

#[test]
fn of_gateway() {
    insta::assert_snapshot!(help("gateway"), @r"
    Runs the gateway and the dashboard in front of another server that speaks the specification

    Accounts, sign-in links and sessions are kept in the data directory. The keys never reach the
    browser.

    Usage: sheaf gateway [OPTIONS] --upstream <URL>

    Options:
          --upstream <URL>
              The other server's base address, without /v1

          --upstream-ca <FILE>
              A file of certificates (PEM) of the authorities that may vouch for it, in place of the
              public ones

          --key-live-file <FILE>
              A file that holds the live key; without it, live data are not offered

          --key-test-file <FILE>
              A file that holds the test key; without it, test data are not offered

          --listen <ADDR|unix:PATH>
              Address and port to listen on, of which port 0 takes a free one, which is then
              printed; or a socket for proxies of this machine, `unix:/run/sheaf/sheaf.sock`, which
              are believed without an address or a secret. May be given several times

              [default: 127.0.0.1:8080]

          --socket-mode <OCTAL>
              Who may connect to a socket: the permissions of its file; left out, these are 0660,
              for the server's user and its group

          --behind-tls
              Something in front does TLS: session cookies are sent over TLS only. If it runs on
              this machine, clients are told apart by the last address in X-Forwarded-For; if it
              does not, as with containers, name it with --trusted-proxy as well

          --trusted-proxy <CIDR>
              The address of a proxy in front, or a network such as `172.18.0.0/24`; may be given
              several times. Only these proxies are trusted then: clients are told apart by the last
              address in X-Forwarded-For that is not theirs

          --tls-cert <FILE>
              A file of the certificate (PEM), and behind it those that vouch for it: TLS is spoken
              here, and nothing else. Read again on SIGHUP, and when it or the key's file changes

          --tls-key <FILE>
              A file of its private key (PEM), which not everybody may read

          --operator-listen <ADDR>
              Address and port on which operators ask, without a key: /healthz, /readyz and
              /metrics; keep it to this machine or a private network

              [env: SHEAF_OPERATOR_LISTEN=]

          --linger <SECONDS>
              So many seconds after the signal to end, connections are still taken, while /readyz
              says already that none should be sent: for balancers that have to notice

              [default: 0]

          --identity-header <NAME>
              The header in which a trusted proxy names who is signed in with it, for example
              `X-Forwarded-Email`. Passwords and sign-in links are off then, and from everybody else
              the header is refused. Needs --trusted-proxy and --proxy-secret-file, or a socket to
              listen on

          --proxy-secret-file <FILE>
              A file of a secret that the proxy sends along with every request: 16 to 256
              characters, which not everybody may read

          --proxy-secret-header <NAME>
              The header in which it sends that secret; left out, it is X-Sheaf-Proxy-Secret

          --assertion-header <NAME>
              The header in which a proxy hands on an assertion of who is signed in, signed as a
              JWT, for example Cf-Access-Jwt-Assertion, or Authorization; instead of
              --identity-header. Needs the three that follow, and no trusted addresses

          --assertion-issuer <ISSUER>
              Who signs assertions: their `iss`

          --assertion-audience <NAME>
              For whom they are meant: their `aud`

          --assertion-keys <FILE|URL>
              A file of the public keys that sign them (a JSON Web Key Set), or the https address of
              one, which is asked again every hour

          --assertion-ca <FILE>
              A file of certificates (PEM) of the authorities that may vouch for that address, in
              place of the public ones

          --assertion-claim <CLAIM>
              The claim that says who somebody is; left out, it is `sub`

          --provision <PLAN>
              Give a person whom nobody here knows an account of their own, of this plan: free, pro,
              business or enterprise. Without it, they are told whom to ask. Not for `sheaf gateway`

          --sign-out-url <URL>
              Where one signs out of the proxy, too: an https address, or a path such as
              `/oauth2/sign_out`

          --public-url <URL>
              Where browsers find the dashboard, for sign-in links; `https://…` implies --behind-tls

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_account() {
    insta::assert_snapshot!(help("account"), @r"
    Creates and lists accounts, and lets their owners and readers in

    Usage: sheaf account [OPTIONS] <COMMAND>

    Commands:
      create           Creates an account and prints its id
      list             Lists the accounts, oldest first
      usage            Shows how many submissions were analysed today, how many may be, and how many
                       wait
      set-plan         Gives an account another plan, in force at once
      set-email        Gives the owner of an account another mail address, and signs them out
                       everywhere
      delete           Deletes an account with its people, keys, forms and submissions, for good
      sign-in-link     Prints a link that signs a person in, once, within 15 minutes
      add-reader       Lets a reader in, who may look, search and export, and prints a link that
                       signs them in, once, within 24 hours
      people           Lists the people of an account, its owner first
      remove-reader    Removes a reader; wherever they are signed in, that ends at once
      link-identity    Lets somebody in whom an auth proxy signs in, as a person who is here
      unlink-identity  Lets them in no more; wherever they are signed in, that ends at once
      identities       Lists as whom the people of an account are known elsewhere
      help             Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_account_create() {
    insta::assert_snapshot!(help("account create"), @r"
    Creates an account and prints its id

    Usage: sheaf account create [OPTIONS] --email <EMAIL> --plan <PLAN>

    Options:
          --email <EMAIL>   The mail address that its owner signs in with
          --plan <PLAN>     The plan that limits its requests: free, pro, business or enterprise
          --password-stdin  Read a password of 12 to 128 characters from standard input, one line;
                            without it, the account is opened by sign-in links alone
      -h, --help            Print help
    ");
}

#[test]
fn of_account_list() {
    insta::assert_snapshot!(help("account list"), @r"
    Lists the accounts, oldest first

    Usage: sheaf account list [OPTIONS]

    Options:
          --json  Print JSON instead of a table
      -h, --help  Print help
    ");
}

#[test]
fn of_account_sign_in_link() {
    insta::assert_snapshot!(help("account sign-in-link"), @r"
    Prints a link that signs a person in, once, within 15 minutes

    Usage: sheaf account sign-in-link [OPTIONS] --account <EMAIL|ID>

    Options:
          --account <EMAIL|ID>  The person's mail address, or the id of an account (acc_…) for its
                                owner
          --url <URL>           Where browsers find the dashboard [default: http://127.0.0.1:8080]
      -h, --help                Print help
    ");
}

#[test]
fn of_account_add_reader() {
    insta::assert_snapshot!(help("account add-reader"), @r"
    Lets a reader in, who may look, search and export, and prints a link that signs them in, once,
    within 24 hours

    Usage: sheaf account add-reader [OPTIONS] --account <EMAIL|ID> --email <EMAIL>

    Options:
          --account <EMAIL|ID>  The account: its mail address or its id (acc_…)
          --email <EMAIL>       The mail address that the reader signs in with
          --url <URL>           Where browsers find the dashboard [default: http://127.0.0.1:8080]
      -h, --help                Print help
    ");
}

#[test]
fn of_account_people() {
    insta::assert_snapshot!(help("account people"), @r"
    Lists the people of an account, its owner first

    Usage: sheaf account people [OPTIONS] --account <EMAIL|ID>

    Options:
          --account <EMAIL|ID>  The account: its mail address or its id (acc_…)
          --json                Print JSON instead of a table
      -h, --help                Print help
    ");
}

#[test]
fn of_account_remove_reader() {
    insta::assert_snapshot!(help("account remove-reader"), @r"
    Removes a reader; wherever they are signed in, that ends at once

    Usage: sheaf account remove-reader [OPTIONS] --email <EMAIL>

    Options:
          --email <EMAIL>  The reader's mail address
      -h, --help           Print help
    ");
}

#[test]
fn of_account_link_identity() {
    insta::assert_snapshot!(help("account link-identity"), @r"
    Lets somebody in whom an auth proxy signs in, as a person who is here

    Nobody is let in by a mail address alone: what is not linked so stays out, unless the server
    gives everybody whom the proxy knows an account of their own (--provision).

    Usage: sheaf account link-identity [OPTIONS] --account <EMAIL|ID> --issuer <ISSUER> --subject <SUBJECT>

    Options:
          --account <EMAIL|ID>
              The person's mail address, or the id of an account (acc_…) for its owner

          --issuer <ISSUER>
              Who vouches for them: `header:` and the name of --identity-header, such as
              `header:x-forwarded-email`, or --assertion-issuer

          --subject <SUBJECT>
              What they are called there

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_account_unlink_identity() {
    insta::assert_snapshot!(help("account unlink-identity"), @r"
    Lets them in no more; wherever they are signed in, that ends at once

    Usage: sheaf account unlink-identity [OPTIONS] --issuer <ISSUER> --subject <SUBJECT>

    Options:
          --issuer <ISSUER>    Who vouches for them: `header:` and the name of --identity-header,
                               such as `header:x-forwarded-email`, or --assertion-issuer
          --subject <SUBJECT>  What they are called there
      -h, --help               Print help
    ");
}

#[test]
fn of_account_identities() {
    insta::assert_snapshot!(help("account identities"), @r"
    Lists as whom the people of an account are known elsewhere

    Usage: sheaf account identities [OPTIONS] --account <EMAIL|ID>

    Options:
          --account <EMAIL|ID>  The account: its mail address or its id (acc_…)
          --json                Print JSON instead of a table
      -h, --help                Print help
    ");
}

#[test]
fn of_form() {
    insta::assert_snapshot!(help("form"), @r"
    Creates and shows forms, and sets what they take in

    Usage: sheaf form [OPTIONS] <COMMAND>

    Commands:
      create      Creates a form and prints its id
      list        Lists an account's forms in both modes, oldest first
      rename      Gives a form another name, or with --field one of its fields
      field       Hides, shows or deletes a field of a form
      duplicate   Copies a form and prints the id of the copy
      delete      Deletes a form with its submissions, spam and settings, for good
      analysis    Switches the analysis of a form's submissions on or off
      categories  Shows or sets the categories by which a form's submissions are told
      show        Shows a form with its fields, and how to send to it
      intake      Shows what a form takes in from anyone, and sets what is named
      help        Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_form_create() {
    insta::assert_snapshot!(help("form create"), @r"
    Creates a form and prints its id

    Usage: sheaf form create [OPTIONS] --account <EMAIL|ID> --name <NAME>

    Options:
          --account <EMAIL|ID>   The account: its mail address or its id (acc_…)
          --name <NAME>          What it is called
          --mode <live|test>     Real data (live) or sandbox data (test) [default: live]
          --field <NAME[:TYPE]>  A field of the form, in order; TYPE is text, long_text, number,
                                 boolean, choice, choices, rating, email, phone, url or date, and
                                 text where it is left out
          --analysis             Its submissions are analysed
      -h, --help                 Print help
    ");
}

#[test]
fn of_form_list() {
    insta::assert_snapshot!(help("form list"), @r"
    Lists an account's forms in both modes, oldest first

    Usage: sheaf form list [OPTIONS] --account <EMAIL|ID>

    Options:
          --account <EMAIL|ID>  The account: its mail address or its id (acc_…)
          --json                Print JSON instead of a table
      -h, --help                Print help
    ");
}

#[test]
fn of_account_set_plan() {
    insta::assert_snapshot!(help("account set-plan"), @r"
    Gives an account another plan, in force at once

    Usage: sheaf account set-plan [OPTIONS] <EMAIL|ID> <PLAN>

    Arguments:
      <EMAIL|ID>  The account: its mail address or its id (acc_…)
      <PLAN>      The plan that limits its requests: free, pro, business or enterprise

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_account_set_email() {
    insta::assert_snapshot!(help("account set-email"), @r"
    Gives the owner of an account another mail address, and signs them out everywhere

    Usage: sheaf account set-email [OPTIONS] <EMAIL|ID> <NEW>

    Arguments:
      <EMAIL|ID>  The account: its mail address or its id (acc_…)
      <NEW>       The mail address that its owner signs in with from now on

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_account_delete() {
    insta::assert_snapshot!(help("account delete"), @r"
    Deletes an account with its people, keys, forms and submissions, for good

    Everybody is out at once; the rows of its forms are removed piece by piece. If the command is
    ended before, the same command or the next start of the server does the rest.

    Usage: sheaf account delete [OPTIONS] <EMAIL|ID>

    Arguments:
      <EMAIL|ID>
              The account: its mail address or its id (acc_…)

    Options:
          --yes
              Do not ask for the mail address

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_form_field() {
    insta::assert_snapshot!(help("form field"), @r"
    Hides, shows or deletes a field of a form

    The dashboard does not offer a hidden field, which takes answers and is exported all the same.
    The answers of a deleted field stay with the submissions, and the form does not learn the field
    again.

    Usage: sheaf form field [OPTIONS] <ACT> <FORM> <FIELD>

    Arguments:
      <ACT>
              What is done to it

              Possible values:
              - hide:   The dashboard does not offer it any more
              - show:   The dashboard offers it again
              - delete: The form does not have it any more

      <FORM>
              The form's id

      <FIELD>
              The field, as `form show` names it

    Options:
      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_form_duplicate() {
    insta::assert_snapshot!(help("form duplicate"), @r"
    Copies a form and prints the id of the copy

    The copy has the same fields, settings and categories, and no submissions. It is open.

    Usage: sheaf form duplicate [OPTIONS] <FORM>

    Arguments:
      <FORM>
              The form's id

    Options:
          --name <NAME>
              What the copy is called; without it, as the form with ` (copy)` behind

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_form_delete() {
    insta::assert_snapshot!(help("form delete"), @r"
    Deletes a form with its submissions, spam and settings, for good

    The form is gone at once; its rows are removed piece by piece. If the command is ended before,
    the same command or the next start of the server does the rest.

    Usage: sheaf form delete [OPTIONS] <FORM>

    Arguments:
      <FORM>
              The form's id

    Options:
          --yes
              Do not ask for the form's name

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_form_show() {
    insta::assert_snapshot!(help("form show"), @r"
    Shows a form with its fields, and how to send to it

    Usage: sheaf form show [OPTIONS] <FORM>

    Arguments:
      <FORM>  The form's id

    Options:
          --url <URL>  Where browsers find the server, for the address to send to [default:
                       http://127.0.0.1:8080]
          --json       Print JSON instead of a table
      -h, --help       Print help
    ");
}

#[test]
fn of_key() {
    insta::assert_snapshot!(help("key"), @r"
    Creates, lists and revokes API keys

    Usage: sheaf key [OPTIONS] <COMMAND>

    Commands:
      create  Creates an API key and prints its secret, which is never shown again
      list    Lists an account's keys, newest first, without their secrets
      revoke  Revokes a key for good: the next request with it is refused
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_key_create() {
    insta::assert_snapshot!(help("key create"), @r"
    Creates an API key and prints its secret, which is never shown again

    Usage: sheaf key create [OPTIONS] --account <EMAIL|ID> --name <NAME> --mode <live|test>

    Options:
          --account <EMAIL|ID>  The account: its mail address or its id (acc_…)
          --name <NAME>         What it is called: 1 to 100 characters
          --mode <live|test>    The data that it opens: real (live) or sandbox (test)
      -h, --help                Print help
    ");
}

#[test]
fn of_key_list() {
    insta::assert_snapshot!(help("key list"), @r"
    Lists an account's keys, newest first, without their secrets

    Usage: sheaf key list [OPTIONS] --account <EMAIL|ID>

    Options:
          --account <EMAIL|ID>  The account: its mail address or its id (acc_…)
          --json                Print JSON instead of a table
      -h, --help                Print help
    ");
}

#[test]
fn of_key_revoke() {
    insta::assert_snapshot!(help("key revoke"), @r"
    Revokes a key for good: the next request with it is refused

    Usage: sheaf key revoke [OPTIONS] <KEY_ID>

    Arguments:
      <KEY_ID>  The key's id, as `sheaf key list` shows it

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_import() {
    insta::assert_snapshot!(help("import"), @r"
    Imports submissions from a file, all or nothing

    NDJSON: a submission a line, in the shape in which the API gives it. Only `answers` is needed: a
    missing `id` is made up, a missing `metadata.submitted_at` is the time of the import. Answer
    keys that the form does not know become its fields.

    CSV (--csv): the header row tells which tool wrote the file, such as Google Forms, Microsoft
    Forms, Typeform or an export of Sheaf. Columns are matched with the form's fields by name, and
    the others become its fields, of the type that all their cells have. UTM values become metadata.
    An export writes every answer again as it stood in its cell; an empty cell is no answer.

    The time of submission is the column that the tool has for it, or one that its name and its
    cells tell. Where a column looks like times and may be another, the import stops and names the
    option that decides. Without such a column all submissions get the time of the import, each a
    microsecond before the one above it, so that the list and the export keep the file's order.

    A line that cannot be read is named with its number and the reason, and then nothing of the file
    is imported. No submission is visible before all are there. An import that was killed continues
    when the same command is given again within seven days.

    Usage: sheaf import --form <FORM> [OPTIONS] <FILE>
           sheaf import --form <FORM> [OPTIONS] --csv <FILE>

    Arguments:
      [FILE]
              A file of NDJSON; - is standard input

    Options:
          --form <FORM>
              The form that the submissions answer

          --csv <FILE>
              A file of CSV instead; - is standard input

          --dry-run
              Show what would become of the file, with every problem, and write nothing

          --new-ids
              Give every submission a new id, also where the file has ids

          --restart
              Begin anew: remove what an import into the form left that was killed

          --from <TOOL>
              The tool that wrote the CSV: google, microsoft, typeform, tally, jotform,
              surveymonkey, qualtrics, kobo, odk, limesurvey, nextcloud, formbricks, netlify,
              formspree, airtable, sheaf or plain; without it, the header row tells

          --map <HEAD=TARGET>
              What a column becomes, for example `When=submitted_at`: a field by its key or name, or
              submitted_at, started_at, completion_time_seconds, ip_country, device, browser,
              utm_source, utm_medium, utm_campaign, sentiment, sentiment_score, categories,
              language, id or skip; may be given several times

          --time <COLUMN>
              The column of the times of submission, the same as `--map COLUMN=submitted_at`; or
              `now`, the time of the import for all

          --dates <ORDER>
              The order of dates such as `3/4/26`: dmy, mdy or ymd; without it, the file's times
              tell, then its language

          --time-zone <ZONE>
              The zone of times that state none, for example `Europe/Berlin` or `+02:00`; without
              it, UTC. It also decides what an abbreviation such as `IST` means

          --encoding <NAME>
              The file's encoding; without it, UTF-8, UTF-16 or, for CSV, Windows-1252, as the bytes
              tell

          --delimiter <NAME>
              The delimiter of cells: comma, semicolon, tab or pipe; without it, a line such as
              `sep=;` or the first rows tell

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_sample() {
    insta::assert_snapshot!(help("sample"), @r"
    Inserts made-up submissions, the same for the same form, seed, count and --until

    Several languages and scripts, commas, quotes, line breaks, formulas, missing values and ties in
    time. A form without fields gets some.

    Usage: sheaf sample [OPTIONS] --form <FORM> --count <COUNT> --seed <SEED>

    Options:
          --form <FORM>
              The form to fill

          --count <COUNT>
              How many submissions

          --seed <SEED>
              Any number; another one gives other submissions

          --until <INSTANT>
              The instant before which the submissions came, ISO 8601; left out, it is the present
              hour

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_openapi() {
    insta::assert_snapshot!(help("openapi"), @r"
    Prints the document of the API as JSON, which a server also gives at /openapi.json

    Usage: sheaf openapi [OPTIONS]

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_backup() {
    insta::assert_snapshot!(help("backup"), @r"
    Writes a consistent copy of the database to a new file, also while a server runs

    The copy bears its name only once it is whole, checked and on disk. To restore it, put it as
    `sheaf.db` into an empty data directory.

    Usage: sheaf backup [OPTIONS] <FILE>

    Arguments:
      <FILE>
              The file to write; it must not be there yet

    Options:
      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_check() {
    insta::assert_snapshot!(help("check"), @r"
    Looks through the database, or a backup of it, for damage, also while a server runs

    Reads everything, and compares each submission with what is kept beside it. Prints how many
    submissions are whole; where something is not, prints what, and the exit status is 1.

    Usage: sheaf check [OPTIONS] [FILE]

    Arguments:
      [FILE]
              The file to look through, instead of the one in the data directory

    Options:
      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_form_intake() {
    insta::assert_snapshot!(help("form intake"), @r"
    Shows what a form takes in from anyone, and sets what is named

    Usage: sheaf form intake [OPTIONS] <FORM>

    Arguments:
      <FORM>  The form's id

    Options:
          --redirect <URL|none>         Where `_redirect` may lead: an origin such as
                                        `https://example.com`, or an address with a path; say it
                                        again for each, `none` for nowhere
          --origin <ORIGIN|any>         An origin whose pages may send, such as
                                        `https://example.com`; say it again for each, `any` for all
          --seconds-min <SECONDS>       Who says it took less than so many seconds is set aside as
                                        spam; 0 for nobody
          --honeypot <on|off>           Whether what fills the hidden input `_gotcha` is set aside
                                        as spam
          --learn <on|off|auto>         Whether answers with unknown keys become fields, at most 50
                                        a day and 200 in all; `auto` is as long as the form has none
          --strict <on|off>             Whether a submission with an unknown key is refused; without
                                        it, unknown keys that do not become fields are kept with the
                                        submission
          --address-limit <COUNT|none>  Most submissions from one network address in 15 minutes
          --form-limit <COUNT|none>     Most submissions in 15 minutes in all
          --closed <on|off>             Whether the form is closed now: it answers 403 and takes
                                        nothing
          --closes-at <INSTANT|never>   From when on it is closed, such as 2026-03-01T12:00:00Z
          --closes-after <COUNT|none>   It is closed while it holds so many submissions or more
          --closed-message <TEXT>       What visitors read while it is closed: one line; empty for a
                                        sentence in their language
          --json                        Print JSON instead of a table
      -h, --help                        Print help
    ");
}

#[test]
fn of_spam() {
    insta::assert_snapshot!(help("spam"), @r"
    Lists, releases and deletes what forms have set aside as spam

    Usage: sheaf spam [OPTIONS] <COMMAND>

    Commands:
      list     Lists what a form has set aside, newest first
      release  Moves one among the form's submissions, at the instant at which it came
      delete   Deletes one, or all, for good
      help     Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn of_spam_list() {
    insta::assert_snapshot!(help("spam list"), @r"
    Lists what a form has set aside, newest first

    Usage: sheaf spam list [OPTIONS] --form <FORM>

    Options:
          --form <FORM>  The form
          --json         Print JSON instead of a table
      -h, --help         Print help
    ");
}

#[test]
fn of_spam_release() {
    insta::assert_snapshot!(help("spam release"), @r"
    Moves one among the form's submissions, at the instant at which it came

    Usage: sheaf spam release [OPTIONS] --form <FORM> <SUBMISSION>

    Arguments:
      <SUBMISSION>  The submission's id, as `sheaf spam list` shows it

    Options:
          --form <FORM>  The form
      -h, --help         Print help
    ");
}

#[test]
fn of_spam_delete() {
    insta::assert_snapshot!(help("spam delete"), @r"
    Deletes one, or all, for good

    Usage: sheaf spam delete [OPTIONS] --form <FORM> [SUBMISSION]

    Arguments:
      [SUBMISSION]  The submission's id, as `sheaf spam list` shows it

    Options:
          --form <FORM>  The form
          --all          Delete all of them
      -h, --help         Print help
    ");
}

#[test]
fn of_account_usage() {
    insta::assert_snapshot!(help("account usage"), @r"
    Shows how many submissions were analysed today, how many may be, and how many wait

    Usage: sheaf account usage [OPTIONS] --account <EMAIL|ID>

    Options:
          --account <EMAIL|ID>          The account: its mail address or its id (acc_…)
          --insight-limit <PLAN=COUNT>  How many submissions of an account are analysed in a day
                                        (UTC), in place of the plan's 100, 1000, 10000 or 100000,
                                        for example `pro=5000`; may be given for each plan. Test
                                        forms have as many once more [env: SHEAF_INSIGHT_LIMIT=]
          --json                        Print JSON instead of a table
      -h, --help                        Print help
    ");
}

#[test]
fn of_form_analysis() {
    insta::assert_snapshot!(help("form analysis"), @r"
    Switches the analysis of a form's submissions on or off

    A running server fills the insights in, newest first, also of what came before. Switched off,
    what was found stays.

    Usage: sheaf form analysis [OPTIONS] <SWITCH> <FORM>

    Arguments:
      <SWITCH>
              Whether its submissions are analysed

              Possible values:
              - on:  What is there and what comes is analysed
              - off: What comes is left as it is

      <FORM>
              The form's id

    Options:
          --again
              Analyse those again that were analysed already, for example by other categories

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_form_categories() {
    insta::assert_snapshot!(help("form categories"), @r#"
    Shows or sets the categories by which a form's submissions are told

    Usage: sheaf form categories [OPTIONS] <FORM>

    Arguments:
      <FORM>  The form's id

    Options:
          --set <FILE>  A file of JSON, `[{"name": "delivery", "words": ["deliver*", "too late"]}]`,
                        as --json prints it; - is standard input. `deliver*` is every word that
                        begins so
          --reset       Go back to the usual categories
          --json        Print JSON instead of a table
      -h, --help        Print help
    "#);
}

#[test]
fn of_audit() {
    insta::assert_snapshot!(help("audit"), @r"
    Verifies and exports the audit log

    Usage: sheaf audit [OPTIONS] <COMMAND>

    Commands:
      verify  Looks whether every note is as it was written, in its place, and none is missing
      export  Prints the audit log, newest first; that it was exported is noted too
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help
    ");
    insta::assert_snapshot!(help("audit verify"), @r"
    Looks whether every note is as it was written, in its place, and none is missing

    Prints of each account how many notes there are, and the last one's place and hash. Whoever
    keeps these elsewhere can tell later, by --end, that nothing before was changed. Where something
    does not fit, prints the first note of which that is so, and the exit status is 1.

    Usage: sheaf audit verify [OPTIONS] [FILE]

    Arguments:
      [FILE]
              The database to look at, instead of the one in the data directory

    Options:
          --end <PLACE:HASH>
              A place and a hash that an earlier `verify` printed: the log must still hold that note

      -h, --help
              Print help (see a summary with '-h')
    ");
    insta::assert_snapshot!(help("audit export"), @r"
    Prints the audit log, newest first; that it was exported is noted too

    Usage: sheaf audit export [OPTIONS]

    Options:
          --account <EMAIL|ID>
              The account: its mail address or its id (acc_…); left out, what belongs to no account

          --from <INSTANT>
              From this instant on, ISO 8601

          --to <INSTANT>
              Before this instant, ISO 8601

          --format <FORMAT>
              A JSON object a line, or CSV

              Possible values:
              - ndjson: A JSON object a line
              - csv:    Comma-separated values

              [default: ndjson]

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_health() {
    insta::assert_snapshot!(help("health"), @r"
    Asks a running server whether it is ready; the exit status is 0 if so, else 1

    For the health check of a container, which has no other program.

    Usage: sheaf health [OPTIONS]

    Options:
          --operator-listen <ADDR>
              Address and port on which operators ask, without a key: /healthz, /readyz and
              /metrics; keep it to this machine or a private network

              [env: SHEAF_OPERATOR_LISTEN=]

          --alive
              Ask only whether the process lives, be it ready or not

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_dump() {
    insta::assert_snapshot!(help("dump"), @r"
    Writes everything into one archive, from a file or a database, also while a server runs

    The archive holds one moment of the data: accounts, people, keys, sessions, forms, submissions,
    spam, trash, insights and the audit log. `sheaf restore` reads it into a directory or a
    database. It is as secret as the data: it is readable by its owner alone, and `--recipient`
    encrypts it. Submissions of an import that has not ended are not in it.

    Prints how many rows of each table are in it, and their checksums.

    Usage: sheaf dump [OPTIONS] <FILE|->

    Arguments:
      <FILE|->
              The file to write, which must not be there yet; `-` is standard output

    Options:
          --recipient <age1…>
              Encrypt the archive to this recipient, in the age format; may be given several times

          --json
              Print JSON instead of a table; nothing is printed behind an archive on standard output

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn of_restore() {
    insta::assert_snapshot!(help("restore"), @r"
    Reads an archive into a directory without data or an empty database, and verifies it

    No server may use the place meanwhile. Keys, sessions and cursors go on working. At the end the
    place is read again and compared with the archive. A restore that fails leaves nothing.

    Prints how many rows of each table were restored, and their checksums.

    Usage: sheaf restore [OPTIONS] <FILE|->

    Arguments:
      <FILE|->
              The archive to read; `-` is standard input

    Options:
          --identity <FILE>
              A file of the identities (AGE-SECRET-KEY-1…), one of which decrypts the archive

          --json
              Print JSON instead of a table

      -h, --help
              Print help (see a summary with '-h')
    ");
}
