package dev.windrow.examples.shop;

import org.springframework.data.jpa.repository.JpaRepository;

/** The purchases in the database. */
interface Purchases extends JpaRepository<Purchase, Long> {}
