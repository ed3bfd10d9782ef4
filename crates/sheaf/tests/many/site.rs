//! A complete site: a PostgreSQL cluster, three instances, and the balancer of the documentation.

use crate::instance::{Instance, Leash};
use crate::proxy::{Kind, Proxy};
use crate::test_env::{TestEnv, binary, expect_success};
use test_servers::{Postgres, ReservedPort};

/// Number of instances.
pub(crate) const INSTANCES: usize = 3;
/// Drain time of an instance in the tests, in seconds. It must exceed [`KEEPALIVE`], because the
/// balancer may send a request on a connection that it has kept open.
const LINGER_S: &str = "2";
/// Keep-alive timeout of the balancer: the documented line, and its replacement in the tests.
const KEEPALIVE: (&str, &str) = ("keepalive_timeout 5s", "keepalive_timeout 1s");

/// A running site.
pub(crate) struct Site {
    pub(crate) instances: Vec<Instance>,
    /// Address of the balancer without TLS.
    pub(crate) balancer: String,
    pub(crate) url: String,
    pub(crate) cluster: Postgres,
    proxy: Proxy,
    _port: ReservedPort,
    /// Contains the logs.
    _world: TestEnv,
}

impl Site {
    /// Starts a site with an account, `a@example.com`, and more arguments of `serve`.
    pub(crate) fn start(more: &str) -> Self {
        let public = "--public-url https://forms.example.com";
        let command = format!("serve --linger {LINGER_S} --database-connections 8 {public} {more}");
        let site = Self::start_with(&command);
        site.run_command("account create --email a@example.com --plan enterprise");
        site
    }

    /// Starts a site with the API alone.
    pub(crate) fn start_api_only() -> Self {
        Self::start_with("service --database-connections 8")
    }

    fn start_with(command: &str) -> Self {
        let cluster = Postgres::start(&["max_connections=400", "shared_buffers=64MB"]).unwrap();
        let url = cluster.create_database().unwrap();
        let env = TestEnv::new();
        let instance = |n: usize| Instance::start(&url, &env.path(&format!("log{n}")), command);
        let instances: Vec<_> = (0..INSTANCES).map(instance).collect();
        let port = ReservedPort::new().unwrap();
        let balancer = port.address();
        let proxy = start_balancer(&instances, &balancer);
        Self { instances, balancer, url, cluster, proxy, _port: port, _world: env }
    }

    /// Returns a leash that ends the site's processes with this one.
    pub(crate) fn attach_leash(&self) -> Leash {
        let ids: Vec<_> =
            self.instances.iter().map(Instance::id).chain([self.proxy.id()]).collect();
        Leash::attach(&ids)
    }

    /// Runs a command on the database and returns its output. It must succeed.
    #[track_caller]
    pub(crate) fn run_command(&self, arguments: &str) -> String {
        let mut command = binary();
        command.args(arguments.split_whitespace()).env("SHEAF_DATABASE_URL", &self.url);
        expect_success(&command.output().unwrap())
    }

    /// Creates a form without intake limits, and returns its id.
    pub(crate) fn create_form(&self) -> String {
        let form = self.run_command(
            "form create --account a@example.com --name Form --field what --field more",
        );
        self.run_command(&format!("form intake {form} --address-limit none --form-limit none"));
        form
    }

    /// Creates a live key of the account and returns its secret.
    pub(crate) fn create_key(&self) -> String {
        self.run_command("key create --account a@example.com --name Key --mode live")
    }

    /// Runs SQL statements and returns the lines of their output.
    pub(crate) fn run_sql(&self, text: &str) -> Vec<String> {
        let name = self.url.rsplit('/').next().unwrap();
        self.cluster.run_sql(name, text).unwrap().lines().map(str::to_owned).collect()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for instance in &self.instances {
                eprintln!("{}:\n{}", instance.address, instance.warnings());
            }
            eprintln!("balancer log:\n{}", self.proxy.log());
        }
    }
}

/// Starts the nginx of the documentation, which also listens at `plain` without TLS.
fn start_balancer(instances: &[Instance], plain: &str) -> Proxy {
    let listen = format!("listen {plain};\n    listen 443 ssl http2;");
    let shown = ["10.0.0.11:8080", "10.0.0.12:8080", "10.0.0.13:8080"];
    let mut fill: Vec<_> =
        shown.into_iter().zip(instances.iter().map(|one| one.address.as_str())).collect();
    fill.extend([("listen 443 ssl http2;", listen.as_str()), KEEPALIVE]);
    Proxy::start_filled(Kind::Nginx, "many/nginx.conf", &fill)
}
