/** Tests of applications of Spring Boot. */
@NullMarked
package dev.windrow.spring.test;

import org.jspecify.annotations.NullMarked;
