/** Checks of values, shared by the packages of the API. Not exported. */
@NullMarked
package dev.windrow.validation;

import org.jspecify.annotations.NullMarked;
