// Rust for the oracle tests.
use std::collections::BTreeMap;

trait Shape {
    fn area(&self, n: i64) -> i64;
}

struct Square;
struct Strip(i64);

impl Shape for Square {
    fn area(&self, n: i64) -> i64 {
        n * n
    }
}

impl Shape for Strip {
    fn area(&self, n: i64) -> i64 {
        if n % 2 == 0 { n * self.0 } else { n - self.0 }
    }
}

fn width<T: std::fmt::Display>(t: T) -> usize {
    format!("{}", t).len()
}

fn wanted(n: i64) -> Option<i64> {
    if n > 3 && n < 40 || n == 99 { Some(n * 2) } else { None }
}

fn main() {
    let n = std::env::args().nth(1).map_or(5, |s| s.parse().unwrap());
    let shapes: Vec<Box<dyn Shape>> = (0..n)
        .map(|i| -> Box<dyn Shape> {
            if i % 3 == 0 { Box::new(Square) } else { Box::new(Strip(i)) }
        })
        .collect();
    let mut counts = BTreeMap::new();
    let mut sum = 0;

    for i in 0..n {
        sum += shapes.iter().map(|s| s.area(i)).sum::<i64>();
        *counts.entry(i % 4).or_insert(0) += wanted(i).unwrap_or(1);
        sum += (width(i) + width("a")) as i64;
        match i {
            0 => sum += 1,
            1..=3 => sum += 2,
            _ if i % 5 == 0 => sum -= 1,
            _ => {}
        }
    }
    println!("{} {}", sum, counts.len());
}
