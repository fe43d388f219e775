//! Seeded random matches that check the laws
