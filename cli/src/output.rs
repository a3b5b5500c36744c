//! Where an export goes: standard output, or a file that is there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hopscope_core::interaction::words::inert;
use tempfile::NamedTempFile;

use crate::interrupt;

/// An export's way out.
pub enum Output {
    /// Standard output, or a device or pipe that was named.
    Stream(Box<dyn Write>),
    /// A file beside the one that was named, whose place it takes once it is whole.
    File { partial: NamedTempFile, path: PathBuf },
}

impl Output {
    /// To standard output.
    pub fn standard() -> Self {
        Self::Stream(Box::new(io::stdout().lock()))
    }

    /// To a path.
    pub fn to(path: &Path) -> io::Result<Self> {
        // Through links, which are to stay what they are.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let known = fs::metadata(&path).ok();
        if known.as_ref().is_some_and(|known| !known.is_file()) {
            return Ok(Self::Stream(Box::new(File::create(&path)?)));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".hopscope-").suffix(".partial");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let folder = folder.unwrap_or(Path::new("."));
        if !folder.is_dir() {
            let name = inert(&folder.display().to_string());
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("there is no folder {name}"),
            ));
        }
        // Not with the name of the file in between, which nobody asked for.
        let partial = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
        interrupt::begin(partial.path());
        if let Some(known) = known {
            fs::set_permissions(partial.path(), known.permissions())?;
        }
        Ok(Self::File { partial, path })
    }

    /// It is whole. Without this call a file is not there.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Stream(mut stream) => stream.flush(),
            Self::File { partial, path } => {
                interrupt::finish(|| partial.persist(path)).map(drop).map_err(|failed| failed.error)
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stream(stream) => stream.write(bytes),
            Self::File { partial, .. } => partial.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stream(stream) => stream.flush(),
            Self::File { partial, .. } => partial.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

    use super::*;

    #[test]
    fn a_file_is_there_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, "old").unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        let mut given_up = Output::to(&path).unwrap();
        given_up.write_all(b"half").unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), ("old", 2));
        drop(given_up);
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), ("old", 1));
        let mut whole = Output::to(&path).unwrap();
        whole.write_all(b"whole").unwrap();
        whole.finish().unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), ("whole", 1));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("run.json"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut output = Output::to(&link).unwrap();
        output.write_all(b"new").unwrap();
        output.finish().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(matches!(Output::to(Path::new("/dev/null")).unwrap(), Output::Stream(_)));
    }
}
