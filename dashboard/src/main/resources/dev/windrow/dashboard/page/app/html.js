/** The library of the page: components by Preact, templates by htm. */
import { Component, h, render } from "../vendor/preact.js";
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "../vendor/hooks.js";
import htm from "../vendor/htm.js";

const html = htm.bind(h);

export { Component, h, html, render, useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState };
