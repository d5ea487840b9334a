//! The maths functions of `$[ ]`, as glibc's `long double` functions on x86-64 answer.

use rustc_apfloat::ieee::Quad;
use rustc_apfloat::{Float, Round};

use crate::base::number::quad::{self, constant, integer, narrow, widen};
use crate::base::number::{Number, X87, indefinite};

fn one_lane(number: Number, apply: impl FnOnce(X87) -> X87) -> Number {
    Number::Long(apply(number.long()))
}

/// Integers are their own floor, ceiling and so on.
fn rounded(number: Number, direction: Round) -> Number {
    match number {
        Number::Int(_) => number,
        Number::Long(x) => Number::Long(x.round_to_integral(direction).value),
    }
}

/// Largest integer not above.
pub fn floor(x: Number) -> Number {
    rounded(x, Round::TowardNegative)
}

/// Smallest integer not below.
pub fn ceil(x: Number) -> Number {
    rounded(x, Round::TowardPositive)
}

/// Nearest integer, half away from zero.
pub fn round(x: Number) -> Number {
    rounded(x, Round::NearestTiesToAway)
}

/// Nearest integer, half to even.
pub fn rint(x: Number) -> Number {
    rounded(x, Round::NearestTiesToEven)
}

/// The integer part.
pub fn trunc(x: Number) -> Number {
    rounded(x, Round::TowardZero)
}

/// Absolute value.
pub fn abs(x: Number) -> Number {
    match x {
        Number::Int(n) => n.checked_abs().map_or_else(|| x.negated(), Number::Int),
        Number::Long(x) => Number::Long(x.abs()),
    }
}

/// Square root; `-nan` below zero.
pub fn sqrt(x: Number) -> Number {
    one_lane(x, |x| {
        if x.is_nan() || x.is_zero() || x.is_pos_infinity() {
            x
        } else if x.is_negative() {
            indefinite()
        } else {
            narrow(quad::sqrt(widen(x)))
        }
    })
}

/// e^x
pub fn exp(x: Number) -> Number {
    exponential(x, quad::exp)
}

/// 2^x
pub fn exp2(x: Number) -> Number {
    exponential(x, quad::exp2)
}

/// 10^x
pub fn exp10(x: Number) -> Number {
    exponential(x, |x| quad::exp(quad::mul(x, constant(quad::LN_10))))
}

fn exponential(x: Number, apply: impl FnOnce(Quad) -> Quad) -> Number {
    one_lane(x, |x| {
        if x.is_nan() || x.is_pos_infinity() {
            x
        } else if x.is_neg_infinity() {
            X87::ZERO
        } else {
            narrow(apply(widen(x)))
        }
    })
}

/// Natural logarithm.
pub fn log(x: Number) -> Number {
    logarithm(x, |x| scaled_log2(x, quad::LN_2))
}

/// Binary logarithm.
pub fn log2(x: Number) -> Number {
    logarithm(x, quad::log2)
}

/// Decimal logarithm.
pub fn log10(x: Number) -> Number {
    logarithm(x, |x| scaled_log2(x, quad::LG_2))
}

/// `fyl2x`: the x87 multiplies the binary logarithm by a factor that it holds in 64 bits.
fn scaled_log2(x: Quad, factor: u128) -> Quad {
    quad::mul(widen(narrow(constant(factor))), quad::log2(x))
}

fn logarithm(x: Number, apply: impl FnOnce(Quad) -> Quad) -> Number {
    one_lane(x, |x| {
        if x.is_nan() || x.is_pos_infinity() {
            x
        } else if x.is_zero() {
            -X87::INFINITY
        } else if x.is_negative() {
            X87::NAN
        } else {
            narrow(apply(widen(x)))
        }
    })
}

/// Sine (radians).
pub fn sin(x: Number) -> Number {
    circular(x, |x| quad::sin_cos(x).0)
}

/// Cosine (radians).
pub fn cos(x: Number) -> Number {
    circular(x, |x| quad::sin_cos(x).1)
}

/// Tangent (radians).
pub fn tan(x: Number) -> Number {
    circular(x, |x| {
        let (sin, cos) = quad::sin_cos(x);
        quad::div(sin, cos)
    })
}

fn circular(x: Number, apply: impl FnOnce(Quad) -> Quad) -> Number {
    one_lane(x, |x| {
        if x.is_nan() {
            x
        } else if x.is_infinite() {
            indefinite()
        } else if x.is_zero() {
            let result = narrow(apply(Quad::ZERO));
            if result.is_zero() { x } else { result }
        } else {
            narrow(apply(widen(x)))
        }
    })
}

/// Arc sine; `nan` outside -1..1.
pub fn asin(x: Number) -> Number {
    arc(x, |x| {
        if x.is_zero() {
            return x;
        }
        quad::atan2(x, leg(x))
    })
}

/// Arc cosine; `nan` outside -1..1.
pub fn acos(x: Number) -> Number {
    arc(x, |x| {
        if x == integer(1) {
            return Quad::ZERO;
        }
        quad::atan2(leg(x), x)
    })
}

/// sqrt(1 - x^2)
fn leg(x: Quad) -> Quad {
    let one = integer(1);
    quad::sqrt(quad::mul((one - x).value, (one + x).value))
}

fn arc(x: Number, apply: impl FnOnce(Quad) -> Quad) -> Number {
    one_lane(x, |x| {
        if x.is_nan() {
            x
        } else if x.abs() > X87::from_i128(1).value {
            X87::NAN
        } else {
            narrow(apply(widen(x)))
        }
    })
}

/// Arc tangent.
pub fn atan(x: Number) -> Number {
    atan2(x, Number::Int(1))
}

/// Angle of the point (x, y).
pub fn atan2(y: Number, x: Number) -> Number {
    let (y, x) = (y.long(), x.long());
    if x.is_nan() || y.is_nan() {
        return Number::Long(if y.is_nan() { y } else { x });
    }
    let pi = constant(quad::PI);
    let quarters = |n: i64| quad::div(quad::mul(pi, integer(n)), integer(4));
    let angle = match (y.is_infinite(), x.is_infinite()) {
        (true, true) if x.is_negative() => quarters(3),
        (true, true) => quarters(1),
        (true, false) => quarters(2),
        (false, true) if x.is_negative() => pi,
        (false, true) => Quad::ZERO,
        (false, false) if y.is_zero() && x.is_negative() => pi,
        (false, false) if y.is_zero() => Quad::ZERO,
        (false, false) => quad::atan2(widen(y.abs()), widen(x)),
    };
    let angle = narrow(angle);
    Number::Long(if y.is_negative() { -angle } else { angle })
}

/// x^y
pub fn pow(x: Number, y: Number) -> Number {
    let (x, y) = (x.long(), y.long());
    let one = X87::from_i128(1).value;
    if y.is_zero() || x == one {
        return Number::Long(one);
    }
    if x.is_nan() || y.is_nan() {
        return Number::Long(if x.is_nan() { x } else { y });
    }
    let whole = y.is_infinite() || y.is_integer();
    let odd = whole && y.is_finite() && !(y / X87::from_i128(2).value).value.is_integer();
    if x.is_finite_non_zero() && x.is_negative() && !whole {
        return Number::Long(indefinite());
    }
    let size = x.abs();
    let result = if y.is_infinite() {
        if size == one {
            one
        } else if (size > one) == y.is_negative() {
            X87::ZERO
        } else {
            X87::INFINITY
        }
    } else if size.is_zero() || size.is_infinite() {
        if size.is_zero() == y.is_negative() {
            X87::INFINITY
        } else {
            X87::ZERO
        }
    } else {
        narrow(power(widen(size), widen(y)))
    };
    Number::Long(if x.is_negative() && odd {
        -result
    } else {
        result
    })
}

/// Small whole powers by multiplication, which is exact while the result fits; the rest by logarithms.
fn power(x: Quad, y: Quad) -> Quad {
    let mut exact = false;
    let n = y.abs().to_u128_r(16, Round::TowardZero, &mut exact).value;
    if exact && n <= 64 {
        let mut result = integer(1);
        for _ in 0..n {
            result = quad::mul(result, x);
        }
        // A power that left the range must not be inverted.
        if !y.is_negative() {
            return result;
        }
        if result.is_finite_non_zero() && !result.is_denormal() {
            return quad::div(integer(1), result);
        }
    }
    quad::exp2(quad::mul(y, quad::log2(x)))
}

/// The IEEE remainder: what is left from the nearest multiple (half to even).
pub fn remainder(x: Number, y: Number) -> Number {
    let (a, b) = (x.long(), y.long());
    if a.is_nan() || b.is_nan() {
        return Number::Long(if a.is_nan() { a } else { b });
    }
    if a.is_infinite() || b.is_zero() {
        return Number::Long(indefinite());
    }
    if b.is_infinite() || a.is_zero() {
        return Number::Long(a);
    }
    // fmod by 2|b| first: then at most two subtractions, all exact in 113 bits.
    let (magnitude, modulus) = (widen(a.abs()), widen(b.abs()));
    let mut rest = (magnitude % quad::mul(modulus, integer(2))).value;
    let half = quad::div(modulus, integer(2));
    if rest > half {
        rest = (rest - modulus).value;
        if rest >= half {
            rest = (rest - modulus).value;
        }
    }
    let rest = narrow(rest);
    let negative = a.is_negative() != rest.is_negative();
    Number::Long(if rest.is_zero() {
        X87::ZERO.copy_sign(a)
    } else if negative {
        -rest.abs()
    } else {
        rest.abs()
    })
}
