package dev.windrow.examples.shop;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The shop over HTTP. */
@RestController
class ShopController {
    private final Checkout checkout;
    private final Purchases purchases;

    ShopController(Checkout checkout, Purchases purchases) {
        this.checkout = checkout;
        this.purchases = purchases;
    }

    @PostMapping("/purchases")
    long buy(@RequestParam("customer") String customer, @RequestParam("cents") long cents) {
        return checkout.buy(customer, cents);
    }

    @GetMapping("/purchases/{id}")
    Map<String, @Nullable Object> show(@PathVariable("id") long id) {
        Purchase purchase = purchases.findById(id).orElseThrow();
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("customer", purchase.customer());
        shown.put("cents", purchase.cents());
        shown.put("invoice", purchase.invoice());
        return shown;
    }

    @ExceptionHandler(IllegalArgumentException.class)
    @ResponseStatus(HttpStatus.BAD_REQUEST)
    String refused(IllegalArgumentException e) {
        return String.valueOf(e.getMessage());
    }
}
