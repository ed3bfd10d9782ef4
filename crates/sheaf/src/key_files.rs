//! API keys of another server, read from files at the start.
//!
//! Arguments and environment variables are not used, because other processes can read them.

use async_trait::async_trait;
use contract::{AccountId, Environment, Role};
use gateway::{Keys, Secret, StoreError};
use std::path::Path;

use crate::config;
use crate::error::{Error, Result};

/// One key per available environment, shared by all accounts.
pub(crate) struct KeyFiles(Vec<(Environment, String)>);

impl KeyFiles {
    /// Reads the keys of the environments that have a file.
    ///
    /// # Errors
    /// A file that cannot be read, or that contains no key of its environment. The error does not
    /// show the key.
    pub(crate) fn read(live: Option<&Path>, test: Option<&Path>) -> Result<Self> {
        let files = [(Environment::Live, live), (Environment::Test, test)];
        let read = |(environment, path): (Environment, Option<&Path>)| {
            path.map(|path| Ok((environment, read_key(environment, path)?)))
        };
        files.into_iter().filter_map(read).collect::<Result<_>>().map(Self)
    }
}

fn read_key(environment: Environment, path: &Path) -> Result<String> {
    let key = config::read_secret(path)?;
    let prefix = environment.secret_prefix();
    let plain = key.bytes().all(|byte| byte.is_ascii_graphic());
    if plain && key.len() > prefix.len() && Environment::from_secret(&key) == Some(environment) {
        return Ok(key);
    }
    let name = path.display();
    Err(Error::invalid(format!(
        "the file `{name}` must contain only a {environment} key, which begins with `{prefix}`"
    )))
}

#[async_trait]
impl Keys for KeyFiles {
    async fn key_for(
        &self,
        _: &AccountId,
        _: Role,
        environment: Environment,
    ) -> Result<Option<Secret>, StoreError> {
        let found = self.0.iter().find(|(key_environment, _)| *key_environment == environment);
        Ok(found.map(|(_, key)| Secret::new(key.clone())))
    }

    fn environments(&self) -> Vec<Environment> {
        self.0.iter().map(|(environment, _)| *environment).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn write_file(path: &Path, text: &str, mode: u32) {
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn environments(live: Option<&str>, test: Option<&str>) -> Result<Vec<Environment>, String> {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: Option<&str>| {
            let path = directory.path().join(name);
            text.map(|text| write_file(&path, text, 0o600)).map(|()| path)
        };
        let live = write("live", live);
        let test = write("test", test);
        let read = KeyFiles::read(live.as_deref(), test.as_deref());
        read.map(|keys| keys.environments()).map_err(|error| error.to_string())
    }

    #[test]
    fn environment_without_key_file_is_unavailable() {
        let live = Some("svc_sk_live_abc\n");
        let test = Some("  svc_sk_test_abc  ");
        assert_eq!(environments(live, test), Ok(Environment::ALL.into()));
        assert_eq!(environments(None, test), Ok(vec![Environment::Test]));
    }

    #[test]
    fn wrong_key_is_rejected_without_showing_it() {
        for bad in
            ["", "svc_sk_live_", "svc_sk_test_canary", "svc_sk_live_canary\ncanary", "canary"]
        {
            let error = environments(Some(bad), None).unwrap_err();
            assert!(error.contains("begins with `svc_sk_live_`"), "{error}");
            assert!(!error.contains("canary"), "{error}");
        }
        let missing = KeyFiles::read(Some(Path::new("/nowhere/key")), None);
        assert!(missing.err().unwrap().to_string().contains("`/nowhere/key`"));
    }

    #[test]
    fn world_readable_key_file_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("live.key");
        for (mode, is_taken) in
            [(0o600, true), (0o440, true), (0o644, false), (0o604, false), (0o601, false)]
        {
            write_file(&path, "svc_sk_live_canary", mode);
            let read = KeyFiles::read(Some(&path), None);
            assert_eq!(read.is_ok(), is_taken, "{mode:o}");
            if let Err(error) = read {
                let message = error.to_string();
                assert!(message.contains("live.key`; `chmod 600` it"), "{message}");
            }
        }
    }
}
