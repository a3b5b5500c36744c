//! Reading the members of a wrapper with the types they should have.

use super::objects::Refused;
use crate::json::{JsonError, Object, RawStr, Walker};
use crate::units::Instant;

/// What went wrong first with the types of members; the rest is read on all the same.
#[derive(Debug, Default)]
pub(super) struct Fields {
    wrong: Option<(usize, String)>,
}

impl Fields {
    /// Notes that a member is not what it should be.
    pub(super) fn refuse(&mut self, field: &str, at: usize, wanted: &str) {
        self.wrong.get_or_insert_with(|| (at, format!("the field \"{field}\" should be {wanted}")));
    }

    /// A member that should be a string, with its place.
    pub(super) fn string<'a>(
        &mut self,
        walker: &mut Walker<'a>,
        field: &str,
    ) -> Result<Option<(usize, RawStr<'a>)>, JsonError> {
        walker.peek()?;
        let at = walker.at();
        let text = walker.string()?;
        if text.is_none() {
            self.refuse(field, at, "a string");
        }
        Ok(text.map(|text| (at, text)))
    }

    /// A member that should be a time.
    pub(super) fn time(
        &mut self,
        walker: &mut Walker<'_>,
        field: &str,
    ) -> Result<Option<Instant>, JsonError> {
        let Some((at, text)) = self.string(walker, field)? else { return Ok(None) };
        match Instant::parse(&text.decode_units()) {
            Ok(time) => Ok(Some(time)),
            Err(why) => {
                self.wrong.get_or_insert_with(|| (at, format!("the field \"{field}\" {why}")));
                Ok(None)
            }
        }
    }

    /// A member that should be a whole number.
    pub(super) fn number(
        &mut self,
        walker: &mut Walker<'_>,
        field: &str,
    ) -> Result<Option<u64>, JsonError> {
        walker.peek()?;
        let at = walker.at();
        let number = whole_number(walker)?;
        if number.is_none() {
            self.refuse(field, at, "a whole number");
        }
        Ok(number)
    }

    /// What went wrong, of an object that ends at `end`.
    pub(super) fn check(self, end: usize) -> Result<(), Refused> {
        match self.wrong {
            None => Ok(()),
            Some((at, reason)) => Err(Refused::Meaning { at, end, reason }),
        }
    }
}

/// The next member that is not null, which is absent.
pub(super) fn next_present<'a>(
    walker: &mut Walker<'a>,
    object: &mut Object,
) -> Result<Option<RawStr<'a>>, JsonError> {
    while let Some(key) = walker.next_key(object)? {
        if walker.peek()? != b'n' {
            return Ok(Some(key));
        }
    }
    Ok(None)
}

/// A whole number that is not negative and fits 64 bits.
pub(super) fn whole_number(walker: &mut Walker<'_>) -> Result<Option<u64>, JsonError> {
    let span = walker.skip()?;
    let mut digits = span.of(walker.bytes()).iter();
    Ok(digits.try_fold(0_u64, |number, &byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    }))
}

/// That a member is missing, of an object from `start` to `end`.
pub(super) fn missing(field: &str, start: usize, end: usize) -> Refused {
    Refused::Meaning { at: start, end, reason: format!("the field \"{field}\" is missing") }
}

/// That another value stands where an object should, from `start` to `end`.
pub(super) fn no_object(start: usize, end: usize) -> Refused {
    let reason = "a frame is a JSON object; this is another value".to_owned();
    Refused::Meaning { at: start, end, reason }
}
