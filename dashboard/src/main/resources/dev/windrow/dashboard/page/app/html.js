/** The library of the page: components by Preact, templates by htm. */
import { Component, Fragment, createRef, h, render } from "../vendor/preact.js";
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState } from "../vendor/hooks.js";
import htm from "../vendor/htm.js";

const html = htm.bind(h);

export { Component, Fragment, createRef, h, html, render, useCallback, useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState };
