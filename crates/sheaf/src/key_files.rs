//! The keys of foreign servers, read from files once at the start.
//!
//! A file, not an argument or a variable, since those can be seen by other processes.

use async_trait::async_trait;
use contract::{AccountId, Environment, Role};
use gateway::{Keys, Secret, StoreError};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::error::{Error, Result};

/// Longest file of a key, in bytes.
const FILE_BYTES_MAX: u64 = 4096;

/// One key for each environment that is offered, the same for all accounts.
pub(crate) struct KeyFiles(Vec<(Environment, String)>);

impl KeyFiles {
    /// Reads the keys of those environments that have a file.
    ///
    /// # Errors
    /// A file that cannot be read, or holds no key of its environment. The key is not shown.
    pub(crate) fn read(live: Option<&Path>, test: Option<&Path>) -> Result<Self> {
        let files = [(Environment::Live, live), (Environment::Test, test)];
        let read = |(environment, path): (Environment, Option<&Path>)| {
            path.map(|path| Ok((environment, read(environment, path)?)))
        };
        files.into_iter().filter_map(read).collect::<Result<_>>().map(Self)
    }
}

/// Reads what a file holds of a key, without the space around it; whether it is one is the caller's
/// to judge. Warns where everybody can read it.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let file = File::open(path).map_err(Error::file(path))?;
    let mode = file.metadata().map_err(Error::file(path))?.permissions().mode();
    if mode & 0o007 != 0 {
        let name = path.display();
        tracing::warn!("everybody on this machine can read the key in `{name}`; `chmod 600` it");
    }
    let mut text = String::new();
    file.take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(Error::file(path))?;
    Ok(text.trim().to_owned())
}

fn read(environment: Environment, path: &Path) -> Result<String> {
    let (key, prefix) = (read_text(path)?, environment.secret_prefix());
    let plain = key.bytes().all(|byte| byte.is_ascii_graphic());
    if plain && key.len() > prefix.len() && Environment::of_secret(&key) == Some(environment) {
        return Ok(key);
    }
    let name = path.display();
    Err(Error::refused(format!(
        "the file `{name}` must hold a {environment} key, which begins with `{prefix}`, alone"
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
        let found = self.0.iter().find(|(of, _)| *of == environment);
        Ok(found.map(|(_, key)| Secret::new(key.clone())))
    }

    fn environments(&self) -> Vec<Environment> {
        self.0.iter().map(|(environment, _)| *environment).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environments(live: Option<&str>, test: Option<&str>) -> Result<Vec<Environment>, String> {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: Option<&str>| {
            let path = directory.path().join(name);
            text.map(|text| std::fs::write(&path, text).map(|()| path).unwrap())
        };
        let (live, test) = (write("live", live), write("test", test));
        let read = KeyFiles::read(live.as_deref(), test.as_deref());
        read.map(|keys| keys.environments()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_environment_without_a_file_is_not_offered() {
        let (live, test) = (Some("svc_sk_live_abc\n"), Some("  svc_sk_test_abc  "));
        assert_eq!(environments(live, test), Ok(Environment::ALL.into()));
        assert_eq!(environments(None, test), Ok(vec![Environment::Test]));
    }

    #[test]
    fn a_file_without_the_right_key_is_refused_and_not_shown() {
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
}
