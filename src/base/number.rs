//! Numbers of `$[ ]`: x87 80-bit extended precision as Asterisk on x86-64 uses it,
//! with an integer lane for values that need no floating point.

pub mod functions;
mod print;
mod quad;
mod read;

use std::cmp::Ordering;

use rustc_apfloat::Float;
use rustc_apfloat::ieee::X87DoubleExtended;

use crate::base::Value;
use crate::base::value::{INT_LIMIT, append_int};

/// An 80-bit extended precision number.
pub type X87 = X87DoubleExtended;

/// A number. Both lanes hold exactly what the x87 would hold: 64-bit integers are exact in it.
#[derive(Debug, Clone, Copy)]
pub enum Number {
    /// An integer; never stands for minus zero.
    Int(i64),
    /// Anything else.
    Long(X87),
}

impl From<i64> for Number {
    fn from(n: i64) -> Self {
        Number::Int(n)
    }
}

impl From<bool> for Number {
    fn from(truth: bool) -> Self {
        Number::Int(i64::from(truth))
    }
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number::Int(0);

    /// What the x87 would hold.
    pub fn long(self) -> X87 {
        match self {
            Number::Int(n) => X87::from_i128(i128::from(n)).value,
            Number::Long(x) => x,
        }
    }

    /// Whether it equals 0 (minus zero does, NaN does not).
    #[inline]
    pub fn is_zero(self) -> bool {
        match self {
            Number::Int(n) => n == 0,
            Number::Long(x) => x.is_zero(),
        }
    }

    fn is_minus_zero(self) -> bool {
        matches!(self, Number::Long(x) if x.is_neg_zero())
    }

    /// Sum.
    #[inline]
    #[must_use]
    pub fn plus(self, other: Number) -> Number {
        if let (Number::Int(a), Number::Int(b)) = (self, other)
            && let Some(sum) = a.checked_add(b)
        {
            return Number::Int(sum);
        }
        invented(self, other, (self.long() + other.long()).value)
    }

    /// Difference.
    #[inline]
    #[must_use]
    pub fn minus(self, other: Number) -> Number {
        if let (Number::Int(a), Number::Int(b)) = (self, other)
            && let Some(difference) = a.checked_sub(b)
        {
            return Number::Int(difference);
        }
        invented(self, other, (self.long() - other.long()).value)
    }

    /// Product.
    #[inline]
    #[must_use]
    pub fn times(self, other: Number) -> Number {
        if let (Number::Int(a), Number::Int(b)) = (self, other)
            && let Some(product) = a.checked_mul(b)
            // The sign of a zero product is the x87's business.
            && (product != 0 || (a >= 0 && b >= 0))
        {
            return Number::Int(product);
        }
        invented(self, other, (self.long() * other.long()).value)
    }

    /// Quotient; a zero divisor gives an infinity or NaN.
    #[inline]
    #[must_use]
    pub fn over(self, other: Number) -> Number {
        if let (Number::Int(a), Number::Int(b)) = (self, other)
            && a != 0
            && a.checked_rem(b) == Some(0)
            && let Some(quotient) = a.checked_div(b)
        {
            return Number::Int(quotient);
        }
        invented(self, other, (self.long() / other.long()).value)
    }

    /// C's `fmod`: the remainder has the sign of `self`.
    #[must_use]
    pub fn fmod(self, other: Number) -> Number {
        if let (Number::Int(a), Number::Int(b)) = (self, other)
            && let Some(rest) = a.checked_rem(b)
            && (rest != 0 || a >= 0)
        {
            return Number::Int(rest);
        }
        let (a, b) = (self.long(), other.long());
        if a.is_nan() || b.is_nan() {
            return invented(self, other, (a + b).value);
        }
        if a.is_infinite() || b.is_zero() {
            return Number::Long(indefinite());
        }
        if b.is_infinite() || a.is_zero() {
            return self;
        }
        Number::Long((a % b).value)
    }

    /// Change of sign; `-0` is a number of its own.
    #[inline]
    #[must_use]
    pub fn negated(self) -> Number {
        match self {
            Number::Int(n) if n != 0 && n != i64::MIN => Number::Int(-n),
            other => Number::Long(-other.long()),
        }
    }

    /// Order of two numbers; `None` when one is NaN.
    #[inline]
    pub fn compared(self, other: Number) -> Option<Ordering> {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
            (a, b) => a.long().partial_cmp(&b.long()),
        }
    }

    /// Appends the text that C's `%.18Lg` prints.
    #[inline]
    pub fn append_to(self, out: &mut Vec<u8>) {
        match self {
            Number::Int(n) if -INT_LIMIT < n && n < INT_LIMIT => append_int(n, out),
            other => print::append(other.long(), out),
        }
    }

    /// The printed number as a value.
    #[inline]
    pub fn to_value(self) -> Value {
        match self {
            Number::Int(n) if -INT_LIMIT < n && n < INT_LIMIT => Value::integer(n),
            other => {
                let mut text = Vec::with_capacity(32);
                print::append(other.long(), &mut text);
                Value::from_bytes(&text)
            }
        }
    }

    /// The number at the start of a text as `strtold` reads decimal numbers: blanks, a sign,
    /// digits with one dot. `0` where there is none.
    #[inline]
    pub fn read(text: &[u8]) -> Number {
        read::prefix(text)
    }

    /// The integer, when it is one and fits.
    pub fn to_integer(self) -> Option<i64> {
        match self {
            Number::Int(n) => Some(n),
            Number::Long(x) => {
                let mut exact = false;
                let n = x
                    .to_i128_r(64, rustc_apfloat::Round::TowardZero, &mut exact)
                    .value;
                (exact && !x.is_neg_zero()).then(|| i64::try_from(n).ok())?
            }
        }
    }
}

/// The x87's own NaN: quiet, sign set.
pub(crate) fn indefinite() -> X87 {
    -X87::NAN
}

/// A NaN that neither operand brought along is the x87's indefinite one, which prints as `-nan`.
fn invented(a: Number, b: Number, result: X87) -> Number {
    if result.is_nan() {
        for operand in [a, b] {
            if let Number::Long(x) = operand
                && x.is_nan()
            {
                return operand;
            }
        }
        return Number::Long(indefinite());
    }
    Number::Long(result)
}

/// Whether Asterisk logs `overflow` for a sum: only signs are compared.
pub fn sum_overflows(a: Number, b: Number, sum: Number) -> bool {
    if let (Number::Int(_), Number::Int(_), Number::Int(_)) = (a, b, sum) {
        return false;
    }
    let zero = Number::ZERO;
    let (a, b, sum) = (a.compared(zero), b.compared(zero), sum.compared(zero));
    let (up, down) = (Some(Ordering::Greater), Some(Ordering::Less));
    (a == up && b == up && matches!(sum, Some(Ordering::Less | Ordering::Equal)))
        || (a == down && b == down && matches!(sum, Some(Ordering::Greater | Ordering::Equal)))
}

/// Whether Asterisk logs `overflow` for a difference: `-2^63` is special.
pub fn difference_overflows(a: Number, b: Number, difference: Number) -> bool {
    let least = Number::Int(i64::MIN);
    if b.compared(least) == Some(Ordering::Equal) {
        return matches!(
            a.compared(Number::ZERO),
            Some(Ordering::Greater | Ordering::Equal)
        );
    }
    if let (Number::Int(_), Number::Int(_), Number::Int(_)) = (a, b, difference) {
        return false;
    }
    sum_overflows(a, b.negated(), difference)
}

/// Whether Asterisk logs `overflow` for a product: the product divided by `a` is not `b`.
pub fn product_overflows(a: Number, b: Number, product: Number) -> bool {
    if matches!(
        (a, b, product),
        (Number::Int(_), Number::Int(_), Number::Int(_))
    ) || a.is_zero()
    {
        return false;
    }
    product.over(a).compared(b) != Some(Ordering::Equal)
}

/// Whether Asterisk logs `overflow` for a quotient: only `-2^63 / -1`.
pub fn quotient_overflows(a: Number, b: Number) -> bool {
    a.compared(Number::Int(i64::MIN)) == Some(Ordering::Equal)
        && b.compared(Number::Int(-1)) == Some(Ordering::Equal)
}

impl PartialEq for Number {
    /// Equality of what is held, not of what is computed: `-0` and `0` differ, NaN equals itself.
    fn eq(&self, other: &Self) -> bool {
        if self.is_minus_zero() != other.is_minus_zero() {
            return false;
        }
        let (a, b) = (self.long(), other.long());
        a.bitwise_eq(b) || a == b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(n: Number) -> String {
        let mut out = Vec::new();
        n.append_to(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn zero_keeps_its_sign_like_the_x87() {
        let zero = Number::Int(0);
        assert_eq!(shown(zero.negated()), "-0");
        assert_eq!(shown(zero.times(Number::Int(-1))), "-0");
        assert_eq!(shown(zero.over(Number::Int(-5))), "-0");
        assert_eq!(shown(Number::Int(-6).fmod(Number::Int(3))), "-0");
        assert_eq!(shown(zero.negated().plus(zero)), "0");
    }

    #[test]
    fn integers_leave_their_lane_when_too_large() {
        let max = Number::Int(i64::MAX);
        assert_eq!(shown(max.plus(max)), "1.84467440737095516e+19");
        assert_eq!(
            shown(Number::Int(i64::MIN).negated()),
            "9.22337203685477581e+18"
        );
        assert_eq!(
            shown(Number::Int(999_999_999_999_999_999).plus(Number::Int(1))),
            "1e+18"
        );
    }

    #[test]
    fn only_invented_nans_print_a_sign() {
        let infinity = Number::Long(X87::INFINITY);
        assert_eq!(shown(infinity.minus(infinity)), "-nan");
        assert_eq!(shown(Number::Long(X87::NAN).plus(infinity)), "nan");
        assert_eq!(shown(Number::Int(1).over(Number::Int(0))), "inf");
    }
}
