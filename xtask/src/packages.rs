//! Installs programs with the system's package manager, where it can do so without asking anybody.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace::{output, run, which};

/// A package manager, and how it installs what is wanted.
#[derive(Debug)]
pub struct Manager {
    /// Its program, by which it is known to be here.
    pub program: &'static str,
    /// Whether it needs an administrator.
    pub needs_root: bool,
    /// What to run, in order.
    pub commands: &'static [&'static str],
}

/// Installs `what` with the first of these managers that is here. An error says what to run.
pub fn install(what: &str, managers: &[Manager]) -> Result<()> {
    let Some(manager) = managers.iter().find(|manager| which(manager.program).is_some()) else {
        bail!("{what} is missing, and no known package manager is here");
    };
    manager.install().with_context(|| {
        format!(
            "could not install {what}. As an administrator run:\n  {}\n",
            manager.commands.join("\n  ")
        )
    })
}

impl Manager {
    fn install(&self) -> Result<()> {
        let sudo = self.needs_root && !is_root()?;
        if sudo
            && (which("sudo").is_none()
                || output(Command::new("sudo").args(["-n", "true"])).is_err())
        {
            bail!("this needs an administrator, and sudo would ask for a password");
        }
        for line in self.commands {
            let mut words = line.split(' ');
            let program = words.next().unwrap_or_default();
            let mut command = if sudo {
                let mut command = Command::new("sudo");
                command.args(["-n", "env", "DEBIAN_FRONTEND=noninteractive", program]);
                command
            } else {
                let mut command = Command::new(program);
                command.env("DEBIAN_FRONTEND", "noninteractive");
                command
            };
            run(command.args(words))?;
        }
        Ok(())
    }
}

fn is_root() -> Result<bool> {
    Ok(output(Command::new("id").arg("-u"))?.trim() == "0")
}
