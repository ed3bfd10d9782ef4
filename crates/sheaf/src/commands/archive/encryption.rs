//! Encryption of archives in the age format (<https://age-encryption.org/v1>).

use age::stream::StreamWriter;
use age::x25519::{Identity, Recipient};
use age::{Decryptor, Encryptor};
use std::io::{self, BufRead, Write};
use std::path::Path;

use crate::config;
use crate::error::{Error, Result};

/// First bytes of an encrypted archive.
const ENCRYPTED_PREFIX: &[u8] = b"age-encryption.org/";
/// First bytes of the text format of age, which `sheaf dump` does not write.
const ARMORED_PREFIX: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";

/// Parses recipients.
///
/// # Errors
/// A text that is not a recipient.
pub(super) fn parse_recipients(texts: &[String]) -> Result<Vec<Recipient>> {
    let recipient = |text: &String| {
        text.parse().map_err(|_| {
            let text: String = text.chars().take(100).collect();
            Error::invalid(format!(
                "`{text}` is not a recipient; it must begin with `age1`, and `age-keygen` creates \
                 one"
            ))
        })
    };
    texts.iter().map(recipient).collect()
}

/// Output of a dump.
pub(super) enum ArchiveOutput<W: Write> {
    /// Without encryption.
    Plain(W),
    /// With encryption.
    Encrypted(StreamWriter<W>),
}

impl<W: Write> ArchiveOutput<W> {
    /// Starts the output. It is encrypted if there are recipients.
    ///
    /// # Errors
    /// The underlying output fails.
    pub(super) fn start(to: W, recipients: &[Recipient]) -> Result<Self> {
        if recipients.is_empty() {
            return Ok(Self::Plain(to));
        }
        let recipients = recipients.iter().map(|recipient| recipient as &dyn age::Recipient);
        let sealed = Encryptor::with_recipients(recipients)
            .map_err(io::Error::other)
            .and_then(|encryptor| encryptor.wrap_output(to));
        sealed.map(Self::Encrypted).map_err(Error::io("cannot write the archive"))
    }

    /// Finishes the output. An encrypted archive without its end is damaged.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(mut to) => to.flush(),
            Self::Encrypted(to) => to.finish()?.flush(),
        }
    }
}

impl<W: Write> Write for ArchiveOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(to) => to.write(bytes),
            Self::Encrypted(to) => to.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(to) => to.flush(),
            Self::Encrypted(to) => to.flush(),
        }
    }
}

/// Returns a reader of the archive, which decrypts it if necessary.
///
/// # Errors
/// An encrypted archive without a matching identity, an identity for an archive that is not
/// encrypted, or a file without identities.
pub(super) fn open_archive(
    mut from: impl BufRead + Send + 'static,
    identity: Option<&Path>,
) -> Result<Box<dyn io::Read + Send>> {
    let start = from.fill_buf().map_err(Error::io("cannot read the archive"))?;
    if start.starts_with(ARMORED_PREFIX) {
        return Err(Error::invalid(
            "the archive is encrypted in the text format of age; decrypt it with `age -d`, and \
             pipe the output to `sheaf restore -`",
        ));
    }
    let identity = match (start.starts_with(ENCRYPTED_PREFIX), identity) {
        (false, None) => return Ok(Box::new(from)),
        (true, Some(identity)) => identity,
        (true, None) => {
            return Err(Error::invalid(
                "the archive is encrypted; name the file with your age identity by `--identity`",
            ));
        }
        (false, Some(_)) => {
            return Err(Error::invalid(
                "the archive is not encrypted, but `--identity` is given; remove it if you trust \
                 the source of the archive",
            ));
        }
    };
    let identities = read_identities(identity)?;
    let identities = identities.iter().map(|identity| identity as &dyn age::Identity);
    let opened = Decryptor::new_buffered(from).and_then(|it| it.decrypt(identities));
    match opened {
        Ok(opened) => Ok(Box::new(opened)),
        Err(error) => Err(Error::invalid(format!("the archive cannot be decrypted: {error}"))),
    }
}

/// Reads identities, one per line. Lines that start with `#` are comments.
fn read_identities(path: &Path) -> Result<Vec<Identity>> {
    let text = config::read_secret(path)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let identities = lines.filter(|line| !line.starts_with('#')).map(str::parse);
    let identities: Vec<Identity> = identities.collect::<Result<_, _>>().unwrap_or_default();
    if identities.is_empty() {
        // The content of the file is secret, so the error does not show it.
        return Err(Error::invalid(format!(
            "the file `{}` must contain age identities, which begin with `AGE-SECRET-KEY-1`; \
             `age-keygen` creates one",
            path.display()
        )));
    }
    Ok(identities)
}
