//! Elementary functions in 113-bit arithmetic: enough guard bits that rounding to the x87's 64 bits
//! gives the nearest number almost always.

use rustc_apfloat::ieee::Quad;
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::base::number::X87;

pub(super) fn constant(bits: u128) -> Quad {
    Quad::from_bits(bits)
}

/// Nearest quad numbers of the constants (computed with 600 bits).
pub(super) const LN_2: u128 = 0x3ffe_62e4_2fef_a39e_f357_93c7_6730_07e6;
pub(super) const LN_10: u128 = 0x4000_26bb_1bbb_5551_582d_d4ad_ac57_05a6;
pub(super) const LG_2: u128 = 0x3ffd_3441_3509_f79f_ef31_1f12_b358_16f9;
pub(super) const PI: u128 = 0x4000_921f_b544_42d1_8469_898c_c517_01b8;

/// Half of pi in parts of 40 bits, whose products with numbers below 2^73 are exact, and the rest.
const HALF_PI: [u128; 6] = [
    0x3fff_921f_b544_4200_0000_0000_0000_0000,
    0x3fd6_a308_d313_1800_0000_0000_0000_0000,
    0x3fae_8a2e_0370_7200_0000_0000_0000_0000,
    0x3f86_44a4_0938_2200_0000_0000_0000_0000,
    0x3f5b_4cf9_8e80_4000_0000_0000_0000_0000,
    0x3f33_77d4_c762_7364_4a29_410f_31c6_809c,
];

pub(super) fn widen(x: X87) -> Quad {
    x.convert(&mut false).value
}

pub(super) fn narrow(x: Quad) -> X87 {
    x.convert(&mut false).value
}

pub(super) fn integer(n: i64) -> Quad {
    Quad::from_i128(i128::from(n)).value
}

fn add(a: Quad, b: Quad) -> Quad {
    (a + b).value
}

fn sub(a: Quad, b: Quad) -> Quad {
    (a - b).value
}

pub(super) fn mul(a: Quad, b: Quad) -> Quad {
    (a * b).value
}

pub(super) fn div(a: Quad, b: Quad) -> Quad {
    (a / b).value
}

fn from_double(x: f64) -> Quad {
    rustc_apfloat::ieee::Double::from_bits(u128::from(x.to_bits()))
        .convert(&mut false)
        .value
}

fn to_double(x: Quad) -> f64 {
    let double: rustc_apfloat::ieee::Double = x.convert(&mut false).value;
    f64::from_bits(double.to_bits() as u64)
}

/// The nearest integer (half to even), when it is below 2^62.
fn nearest(x: Quad) -> Option<i64> {
    let rounded = x.round_to_integral(Round::NearestTiesToEven).value;
    let mut exact = false;
    let n = rounded.to_i128_r(63, Round::TowardZero, &mut exact).value;
    exact.then(|| i64::try_from(n).ok())?
}

/// e^x for |x| of moderate size, 2^k split off.
pub(super) fn exp(x: Quad) -> Quad {
    let Some(k) = nearest(div(x, constant(LN_2))).filter(|k| k.abs() < 40_000) else {
        return if x.is_negative() {
            Quad::ZERO
        } else {
            Quad::INFINITY
        };
    };
    // ln 2 in two parts: the first has few enough bits that k times it is exact.
    let high = Quad::from_bits(LN_2 & !((1 << 20) - 1));
    let low = sub(constant(LN_2), high);
    let scale = integer(k);
    let rest = sub(sub(x, mul(scale, high)), mul(scale, low));
    exp_small(rest).scalbn(k as i32)
}

/// e^x for |x| < 0.35, by the series on x/256 and squaring.
fn exp_small(x: Quad) -> Quad {
    // expm1 is squared as (1+y)^2 - 1 = y(2+y), so that small results keep their digits.
    let x = x.scalbn(-8);
    let mut y = Quad::ZERO;
    for n in (1..=14).rev() {
        // y = x/n * (1 + y)
        y = mul(div(x, integer(n)), add(integer(1), y));
    }
    for _ in 0..8 {
        y = mul(y, add(integer(2), y));
    }
    add(integer(1), y)
}

/// 2^x.
pub(super) fn exp2(x: Quad) -> Quad {
    match nearest(x).filter(|k| k.abs() < 40_000) {
        Some(k) => {
            let rest = sub(x, integer(k));
            if rest.is_zero() {
                return integer(1).scalbn(k as i32);
            }
            exp_small(mul(rest, constant(LN_2))).scalbn(k as i32)
        }
        None if x.is_negative() => Quad::ZERO,
        None => Quad::INFINITY,
    }
}

/// x = m * 2^k with m between sqrt(1/2) and sqrt(2).
fn split(x: Quad) -> (Quad, i64) {
    let mut k = x.ilogb();
    let mut m = x.scalbn(-k);
    // sqrt(2) to a few digits is enough: it only balances the series.
    if m > from_double(std::f64::consts::SQRT_2) {
        m = m.scalbn(-1);
        k += 1;
    }
    (m, i64::from(k))
}

fn ln_near_one(m: Quad) -> Quad {
    // 2 artanh z = 2 (z + z^3/3 + z^5/5 ...), |z| < 0.172
    let z = div(sub(m, integer(1)), add(m, integer(1)));
    let square = mul(z, z);
    let mut sum = Quad::ZERO;
    for n in (0..=23).rev() {
        let term = div(integer(1), integer(2 * n + 1));
        sum = add(term, mul(square, sum));
    }
    mul(integer(2), mul(z, sum))
}

/// Binary logarithm of a positive finite number; exact for powers of two.
pub(super) fn log2(x: Quad) -> Quad {
    let (m, k) = split(x);
    add(integer(k), div(ln_near_one(m), constant(LN_2)))
}

/// Sine and cosine of a finite number.
pub(super) fn sin_cos(x: Quad) -> (Quad, Quad) {
    let quarter = div(x, mul(constant(PI), from_double(0.5)));
    let turns = quarter.round_to_integral(Round::NearestTiesToEven).value;
    let rest = HALF_PI
        .iter()
        .fold(x, |rest, &part| sub(rest, mul(turns, constant(part))));
    let quadrant = to_double((turns % integer(4)).value) as i64 & 3;
    let (sin, cos) = sin_cos_small(rest);
    match quadrant {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

fn sin_cos_small(x: Quad) -> (Quad, Quad) {
    let square = mul(x, x);
    let (mut sin, mut cos) = (Quad::ZERO, Quad::ZERO);
    for n in (1..=15).rev() {
        // sums without their leading term, so that small arguments keep their digits
        sin = mul(
            div(-square, integer(2 * n * (2 * n + 1))),
            add(integer(1), sin),
        );
        cos = mul(
            div(-square, integer(2 * n * (2 * n - 1))),
            add(integer(1), cos),
        );
    }
    (add(x, mul(x, sin)), add(integer(1), cos))
}

/// Angle of the point (x, y), neither both zero nor infinite.
pub(super) fn atan2(y: Quad, x: Quad) -> Quad {
    // Scaled to the range of a double for the first guess.
    let scale = if x.is_zero() {
        y.ilogb()
    } else if y.is_zero() {
        x.ilogb()
    } else {
        x.ilogb().max(y.ilogb())
    };
    let (y, x) = (y.scalbn(-scale), x.scalbn(-scale));
    let guess = from_double(to_double(y).atan2(to_double(x)));
    let (sin, cos) = sin_cos(guess);
    let rest = div(sub(mul(y, cos), mul(x, sin)), add(mul(x, cos), mul(y, sin)));
    let cube = mul(rest, mul(rest, rest));
    add(guess, sub(rest, div(cube, integer(3))))
}

/// Square root of a non-negative finite number.
pub(super) fn sqrt(x: Quad) -> Quad {
    if x.is_zero() {
        return x;
    }
    let exponent = x.ilogb() & !1;
    let m = x.scalbn(-exponent);
    let mut root = from_double(to_double(m).sqrt());
    for _ in 0..2 {
        root = mul(from_double(0.5), add(root, div(m, root)));
    }
    root.scalbn(exponent / 2)
}
