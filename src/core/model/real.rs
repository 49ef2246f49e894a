//! Positive numbers of any size, raised to powers by whole numbers alone, so that all machines agree on every bit.

/// `mantissa · 2^exponent`, where the highest bit of the mantissa is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Real {
    mantissa: u64,
    exponent: i32,
}

impl Real {
    const ONE: Real = Real {
        mantissa: 1 << 63,
        exponent: -63,
    };

    /// A number; `None` for 0. What is beyond 64 digits is cut off.
    pub(super) fn new(number: u128) -> Option<Real> {
        let bits = 128 - number.leading_zeros() as i32;
        if bits == 0 {
            return None;
        }
        let shift = bits - 64;
        let mantissa = match shift {
            ..0 => number << -shift,
            _ => number >> shift,
        };
        Some(Real {
            mantissa: mantissa as u64,
            exponent: shift,
        })
    }

    fn times(self, other: Real) -> Real {
        let product = u128::from(self.mantissa) * u128::from(other.mantissa);
        Real::new(product).map_or(Real::ONE, |it| Real {
            mantissa: it.mantissa,
            exponent: it.exponent + self.exponent + other.exponent,
        })
    }

    /// The product with a whole number, at least 1.
    pub(super) fn times_whole(self, number: u64) -> Real {
        match Real::new(u128::from(number)) {
            Some(number) if number != Real::ONE => self.times(number),
            _ => self,
        }
    }

    fn inverse(self) -> Real {
        // Exact for powers of two.
        Real::new((1 << 127) / u128::from(self.mantissa)).map_or(Real::ONE, |it| Real {
            mantissa: it.mantissa,
            exponent: it.exponent - 127 - self.exponent,
        })
    }

    fn root(self) -> Real {
        // An even exponent, and as many digits below the root as fit.
        let odd = self.exponent & 1;
        let number = u128::from(self.mantissa) << (62 + odd);
        let exponent = self.exponent - 62 - odd;
        Real::new(number.isqrt()).map_or(Real::ONE, |it| Real {
            mantissa: it.mantissa,
            exponent: it.exponent + exponent / 2,
        })
    }

    /// The power by so many 256ths. O(log power).
    pub(super) fn power(self, exponent: i32) -> Real {
        let mut power = Real::ONE;
        let (mut whole, mut square) = (exponent.unsigned_abs() / 256, self);
        while whole > 0 {
            if whole & 1 == 1 {
                power = power.times(square);
            }
            square = square.times(square);
            whole >>= 1;
        }
        let (mut part, mut root) = (exponent.unsigned_abs() % 256, self);
        while part > 0 {
            root = root.root();
            part <<= 1;
            if part & 256 != 0 {
                power = power.times(root);
                part &= 255;
            }
        }
        match exponent < 0 {
            true => power.inverse(),
            false => power,
        }
    }

    /// Numbers in proportion, the greatest of `bits` bits; less than half a unit becomes 0.
    pub(super) fn scaled(numbers: &[Option<Real>], bits: i32) -> Vec<u64> {
        let magnitude = |it: &Real| it.exponent + 64;
        let greatest = numbers.iter().flatten().map(magnitude).max().unwrap_or(0);
        let scaled = |it: &Option<Real>| {
            let Some(it) = it else { return 0 };
            let digits = bits - (greatest - magnitude(it));
            match digits {
                ..0 => 0,
                0 => 1,
                64.. => it.mantissa,
                // Rounded to the nearest.
                _ => ((it.mantissa >> (63 - digits)) + 1) >> 1,
            }
        };
        numbers.iter().map(scaled).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Real;

    fn value(real: Real) -> f64 {
        real.mantissa as f64 * f64::from(real.exponent).exp2()
    }

    #[test]
    fn powers_are_those_of_floating_point() {
        for number in [1u128, 2, 3, 10, 999, 1 << 40, 12_345_678_901_234_567_890] {
            let real = Real::new(number).unwrap();
            for exponent in [
                -1024, -512, -300, -256, -128, -1, 0, 1, 64, 128, 256, 400, 768,
            ] {
                let expected = (number as f64).powf(f64::from(exponent) / 256.0);
                let found = value(real.power(exponent));
                assert!(
                    (found / expected - 1.0).abs() < 1e-12,
                    "{number} ^ {exponent}: {found}, not {expected}"
                );
            }
        }
        assert_eq!(Real::new(0), None);
    }

    #[test]
    fn reciprocals_keep_their_proportions() {
        let inverse = |number| Real::new(number).map(|it| it.power(-256));
        let scaled = Real::scaled(&[inverse(1), inverse(2), inverse(3), None], 60);
        assert_eq!(scaled[0], 1 << 59);
        assert_eq!(scaled[1], 1 << 58);
        assert_eq!(scaled[2], (1 << 59) / 3 + 1);
        assert_eq!(scaled[3], 0);
    }
}
