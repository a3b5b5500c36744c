//! Values as bytes, to be read again by this program elsewhere.
//!
//! Owns how fields are written one behind the other, and that one which is not there takes a bit.
//! Texts are not copied when they are read. There are no names and no versions in it, for nothing is
//! kept in this form.

use std::borrow::Cow;

use crate::frame::Direction;
use crate::ids::Fingerprint;
use crate::json::{RawStr, Span};
use crate::jsonrpc::{Capabilities, Message, Meta, Params, ResultBody, Typed};
use crate::units::{ByteSpan, Instant, LineNo};

/// A value. What is read may be a part of the bytes.
pub(super) trait Value<'a>: Sized {
    /// Writes it.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads it; `None` where something else stands.
    fn read(from: &mut &'a [u8]) -> Option<Self>;
}

/// A field of a struct, that may be not there and is its default then.
pub(super) trait Field<'a>: Default {
    /// Whether there is something to be written.
    fn is_there(&self) -> bool;

    /// Writes it.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads it into its default; `None` where something else stands.
    fn read(&mut self, from: &mut &'a [u8]) -> Option<()>;
}

/// Has the named fields of a struct written: first which of them are there, a bit each, then those.
macro_rules! fields {
    ($name:ty { $($field:ident),* $(,)? }) => {
        impl<'a> $crate::capture::pack::Field<'a> for $name {
            /// Each field says so for itself.
            fn is_there(&self) -> bool {
                true
            }

            #[inline]
            fn write(&self, out: &mut Vec<u8>) {
                use $crate::capture::pack::{Field, Value};
                let bits = [$(Field::is_there(&self.$field)),*];
                let there = bits.iter().rev().fold(0, |there, &bit| there << 1 | u64::from(bit));
                Value::write(&there, out);
                $(
                    if Field::is_there(&self.$field) {
                        Field::write(&self.$field, out);
                    }
                )*
            }

            #[inline]
            fn read(&mut self, from: &mut &'a [u8]) -> Option<()> {
                use $crate::capture::pack::{Field, Value};
                let mut there = <u64 as Value<'a>>::read(from)?;
                $(
                    if there & 1 != 0 {
                        Field::read(&mut self.$field, from)?;
                    }
                    there >>= 1;
                )*
                (there == 0).then_some(())
            }
        }
    };
}
pub(super) use fields;

fields!(Message<'a> {
    id, jsonrpc, method, params_span, params, result_span, result, error_span, error_begun,
});
fields!(Params<'a> {
    name, fingerprint, has_arguments, uri, state, responses, meta, task_id, status,
    result_is_error, has_error, request_id,
});
fields!(Meta { client, capabilities, traceparent, tracelink });
fields!(ResultBody<'a> {
    has_content, result_type, is_error, state, requests, task_id, status, inner_is_error,
});

impl<'a> Field<'a> for bool {
    fn is_there(&self) -> bool {
        *self
    }

    fn write(&self, _: &mut Vec<u8>) {}

    fn read(&mut self, _: &mut &'a [u8]) -> Option<()> {
        *self = true;
        Some(())
    }
}

impl<'a, T: Value<'a>> Field<'a> for Option<T> {
    fn is_there(&self) -> bool {
        self.is_some()
    }

    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        if let Some(value) = self {
            value.write(out);
        }
    }

    #[inline]
    fn read(&mut self, from: &mut &'a [u8]) -> Option<()> {
        *self = Some(T::read(from)?);
        Some(())
    }
}

impl<'a, T: Value<'a>> Field<'a> for Typed<T> {
    fn is_there(&self) -> bool {
        !matches!(self, Self::Absent)
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Absent => {}
            Self::WrongType => Value::write(&0_u64, out),
            Self::Is(value) => {
                Value::write(&1_u64, out);
                value.write(out);
            }
        }
    }

    fn read(&mut self, from: &mut &'a [u8]) -> Option<()> {
        *self = match u64::read(from)? {
            0 => Self::WrongType,
            1 => Self::Is(T::read(from)?),
            _ => return None,
        };
        Some(())
    }
}

impl<'a> Field<'a> for Cow<'a, [u8]> {
    fn is_there(&self) -> bool {
        !self.is_empty()
    }

    fn write(&self, out: &mut Vec<u8>) {
        (&**self).write(out);
    }

    fn read(&mut self, from: &mut &'a [u8]) -> Option<()> {
        *self = Cow::Borrowed(Value::read(from)?);
        Some(())
    }
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
impl Value<'_> for u64 {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        let mut rest = *self;
        while rest >= 0x80 {
            out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
    }

    #[inline]
    fn read(from: &mut &[u8]) -> Option<Self> {
        let mut number = 0;
        for at in 0..10 {
            let (&byte, rest) = from.split_first()?;
            *from = rest;
            number |= Self::from(byte & 0x7F) << (at * 7);
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

impl<'a> Value<'a> for &'a [u8] {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        out.extend_from_slice(self);
    }

    #[inline]
    fn read(from: &mut &'a [u8]) -> Option<Self> {
        let len = usize::read(from)?;
        let (bytes, rest) = from.split_at_checked(len)?;
        *from = rest;
        Some(bytes)
    }
}

impl<'a, const N: usize> Value<'a> for [u8; N] {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }

    #[inline]
    fn read(from: &mut &'a [u8]) -> Option<Self> {
        let (bytes, rest) = from.split_first_chunk()?;
        *from = rest;
        Some(*bytes)
    }
}

impl<'a, T: Value<'a>> Value<'a> for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        self.iter().for_each(|value| value.write(out));
    }

    fn read(from: &mut &'a [u8]) -> Option<Self> {
        (0..usize::read(from)?).map(|_| T::read(from)).collect()
    }
}

impl<'a, T: Value<'a>> Value<'a> for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(self.is_some().into());
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(from: &mut &'a [u8]) -> Option<Self> {
        match <[u8; 1]>::read(from)? {
            [0] => Some(None),
            [1] => T::read(from).map(Some),
            _ => None,
        }
    }
}

impl<'a, A: Value<'a>, B: Value<'a>> Value<'a> for (A, B) {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }

    #[inline]
    fn read(from: &mut &'a [u8]) -> Option<Self> {
        Some((A::read(from)?, B::read(from)?))
    }
}

/// Has values written as others.
macro_rules! values {
    ($($name:ty as $other:ty: $to:expr, $back:expr;)*) => {
        $(
            impl<'a> Value<'a> for $name {
                #[inline]
                fn write(&self, out: &mut Vec<u8>) {
                    let to: fn(&Self) -> $other = $to;
                    to(self).write(out);
                }

                #[inline]
                fn read(from: &mut &'a [u8]) -> Option<Self> {
                    let back: fn($other) -> Option<Self> = $back;
                    back(<$other>::read(from)?)
                }
            }
        )*
    };
}

values! {
    usize as u64: |it| *it as u64, |it| it.try_into().ok();
    u32 as u64: |it| u64::from(*it), |it| it.try_into().ok();
    u16 as u64: |it| u64::from(*it), |it| it.try_into().ok();
    Span as (usize, usize): |it| (it.start, it.end), |(start, end)| Some(Self { start, end });
    ByteSpan as (u64, u64): |it| (it.start, it.len), |(start, len)| Some(Self { start, len });
    LineNo as u32: |it| it.0, |it| Some(Self(it));
    Instant as [u8; 8]: |it| it.0.to_le_bytes(), |it| Some(Self(i64::from_le_bytes(it)));
    Fingerprint as [u8; 16]: |it| it.to_bytes(), |it| Some(Self::from_bytes(it));
    RawStr<'a> as &'a [u8]: |it| it.kept(), |it| Some(Self::of_kept(it));
}

impl<'a> Value<'a> for String {
    fn write(&self, out: &mut Vec<u8>) {
        self.as_bytes().write(out);
    }

    fn read(from: &mut &'a [u8]) -> Option<Self> {
        Self::from_utf8(<&[u8]>::read(from)?.to_vec()).ok()
    }
}

impl Value<'_> for Direction {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        out.push(*self as u8);
    }

    #[inline]
    fn read(from: &mut &[u8]) -> Option<Self> {
        let [number] = <[u8; 1]>::read(from)?;
        Self::ALL.into_iter().find(|&it| it as u8 == number)
    }
}

impl Value<'_> for Capabilities {
    fn write(&self, out: &mut Vec<u8>) {
        let Self { elicitation, sampling, roots } = *self;
        out.push(u8::from(elicitation) | u8::from(sampling) << 1 | u8::from(roots) << 2);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let [bits] = <[u8; 1]>::read(from)?;
        let has = |bit: u8| bits >> bit & 1 != 0;
        Some(Self { elicitation: has(0), sampling: has(1), roots: has(2) })
    }
}
