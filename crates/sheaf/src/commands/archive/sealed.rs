//! Archives that are encrypted in the age format (<https://age-encryption.org/v1>).

use age::stream::StreamWriter;
use age::x25519::{Identity, Recipient};
use age::{Decryptor, Encryptor};
use std::io::{self, BufRead, Write};
use std::path::Path;

use crate::config;
use crate::error::{Error, Result};

/// The beginning of an encrypted archive.
const SEALED: &[u8] = b"age-encryption.org/";
/// The beginning of one in the text form of age, which `sheaf dump` does not write.
const ARMORED: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";

/// Reads recipients.
///
/// # Errors
/// A text that is not a recipient.
pub(super) fn recipients(texts: &[String]) -> Result<Vec<Recipient>> {
    let recipient = |text: &String| {
        text.parse().map_err(|_| {
            let text: String = text.chars().take(100).collect();
            Error::refused(format!(
                "`{text}` is not a recipient; it begins with `age1`, and `age-keygen` makes one"
            ))
        })
    };
    texts.iter().map(recipient).collect()
}

/// The output of a dump.
pub(super) enum Output<W: Write> {
    /// As it is.
    Plain(W),
    /// Encrypted.
    Sealed(StreamWriter<W>),
}

impl<W: Write> Output<W> {
    /// Encrypts to recipients, if there are any.
    ///
    /// # Errors
    /// What is written to fails.
    pub(super) fn begin(to: W, recipients: &[Recipient]) -> Result<Self> {
        if recipients.is_empty() {
            return Ok(Self::Plain(to));
        }
        let recipients = recipients.iter().map(|recipient| recipient as &dyn age::Recipient);
        let sealed = Encryptor::with_recipients(recipients)
            .map_err(io::Error::other)
            .and_then(|encryptor| encryptor.wrap_output(to));
        sealed.map(Self::Sealed).map_err(Error::io("cannot write the archive"))
    }

    /// Writes the end. An encrypted archive without it is damaged.
    pub(super) fn end(self) -> io::Result<()> {
        match self {
            Self::Plain(mut to) => to.flush(),
            Self::Sealed(to) => to.finish()?.flush(),
        }
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(to) => to.write(bytes),
            Self::Sealed(to) => to.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(to) => to.flush(),
            Self::Sealed(to) => to.flush(),
        }
    }
}

/// Decrypts an archive with a file of identities, where it is encrypted.
///
/// # Errors
/// An encrypted archive without identities or for other recipients, identities for an archive that
/// is not encrypted, and a file that holds none.
pub(super) fn opened(
    mut from: impl BufRead + Send + 'static,
    identity: Option<&Path>,
) -> Result<Box<dyn io::Read + Send>> {
    let start = from.fill_buf().map_err(Error::io("cannot read the archive"))?;
    if start.starts_with(ARMORED) {
        return Err(Error::refused(
            "the archive is encrypted in the text form of age; decrypt it by `age -d` and send \
             that to `sheaf restore -`",
        ));
    }
    let identity = match (start.starts_with(SEALED), identity) {
        (false, None) => return Ok(Box::new(from)),
        (true, Some(identity)) => identity,
        (true, None) => {
            return Err(Error::refused(
                "the archive is encrypted; name the file of your age identity with `--identity`",
            ));
        }
        (false, Some(_)) => {
            return Err(Error::refused(
                "the archive is not encrypted, but `--identity` is given; leave that out if you \
                 trust where the archive comes from",
            ));
        }
    };
    let identities = identities(identity)?;
    let identities = identities.iter().map(|identity| identity as &dyn age::Identity);
    let opened = Decryptor::new_buffered(from).and_then(|it| it.decrypt(identities));
    match opened {
        Ok(opened) => Ok(Box::new(opened)),
        Err(error) => Err(Error::refused(format!("the archive cannot be decrypted: {error}"))),
    }
}

/// Reads identities, one on a line. Lines that begin with `#` are comments.
fn identities(path: &Path) -> Result<Vec<Identity>> {
    let text = config::read_secret(path)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let identities = lines.filter(|line| !line.starts_with('#')).map(str::parse);
    let identities: Vec<Identity> = identities.collect::<Result<_, _>>().unwrap_or_default();
    if identities.is_empty() {
        // What it holds is a secret, so it is not shown.
        return Err(Error::refused(format!(
            "the file `{}` must hold identities of age, each of which begins with \
             `AGE-SECRET-KEY-1`; `age-keygen` makes one",
            path.display()
        )));
    }
    Ok(identities)
}
