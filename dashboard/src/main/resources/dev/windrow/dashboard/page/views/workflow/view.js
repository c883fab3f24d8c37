/** The visible part of a graph: scale and offset, moved by pointer, wheel, keys and buttons. */
import { useCallback, useEffect, useRef, useState } from "../../app/html.js";

const SMALLEST = 0.05;
const LARGEST = 2;
/** The scale below which labels cannot be read. A graph that needs a smaller one begins at its left edge, at the other scale. */
const READABLE = 0.65;
const BEGINNING = 0.75;
const STEP = 60;

function limited(scale) {
    return Math.min(LARGEST, Math.max(SMALLEST, scale));
}

/** Returns the view of a graph within a frame, the handlers of the frame, and the changes: fit, zoom, show. */
export function useView(frame, size, onMove) {
    const [view, setView] = useState({ x: 0, y: 0, scale: 1 });
    const pointers = useRef(new Map());
    const dragged = useRef(false);
    const moved = useRef(onMove);
    moved.current = onMove; // for the listener of the wheel, which stays
    const box = () => frame.current.getBoundingClientRect();

    const fit = useCallback(
        (beginning = false) => {
            const { width, height } = box();
            const whole = Math.min(1, Math.max(SMALLEST, Math.min(width / size.width, height / size.height)));
            const scale = beginning && whole < READABLE ? BEGINNING : whole;
            const fits = size.width * scale <= width + 1;
            setView({ scale, x: fits ? (width - size.width * scale) / 2 : 0, y: (height - size.height * scale) / 2 });
        },
        [size],
    );

    /** Changes the scale; the point of the graph below (x, y) stays there, else that in the middle. */
    const zoom = useCallback((factor, x, y) => {
        const { width, height } = box();
        setView((last) => {
            const scale = limited(last.scale * factor);
            const [cx, cy, ratio] = [x ?? width / 2, y ?? height / 2, scale / last.scale];
            return { scale, x: cx - (cx - last.x) * ratio, y: cy - (cy - last.y) * ratio };
        });
    }, []);

    const move = useCallback((dx, dy) => setView((last) => ({ ...last, x: last.x + dx, y: last.y + dy })), []);

    /** Moves a part of the graph into the frame if it is not inside. */
    const show = useCallback(([left, top, right, bottom]) => {
        const { width, height } = box();
        setView((last) => {
            const [l, t, r, b] = [left, top, right, bottom].map((n, i) => n * last.scale + (i % 2 ? last.y : last.x));
            const inside = l >= 0 && t >= 0 && r <= width && b <= height;
            return inside ? last : { ...last, x: last.x + width / 2 - (l + r) / 2, y: last.y + height / 2 - (t + b) / 2 };
        });
    }, []);

    useEffect(() => {
        // Not passive: a wheel with Ctrl, which is also a pinch on a touchpad, would zoom the whole page.
        const wheel = (event) => {
            if (event.ctrlKey || event.metaKey) {
                event.preventDefault();
                const { left, top } = box();
                zoom(Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top);
                moved.current();
            }
        };
        const element = frame.current;
        element.addEventListener("wheel", wheel, { passive: false });
        return () => element.removeEventListener("wheel", wheel);
    }, []);

    const handlers = {
        onPointerDown: (event) => {
            if (event.button === 0) {
                pointers.current.set(event.pointerId, [event.clientX, event.clientY]);
                dragged.current = false;
            }
        },
        onPointerMove: (event) => {
            const all = pointers.current;
            const last = all.get(event.pointerId);
            if (!last) {
                return;
            }
            const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
            if (!dragged.current && Math.hypot(dx, dy) < 4) {
                return; // a click on a node, by a hand that is not quite still
            }
            if (!dragged.current) {
                dragged.current = true;
                frame.current.setPointerCapture(event.pointerId);
                onMove();
            }
            const distance = () => {
                const [[x1, y1], [x2, y2]] = [...all.values()];
                return Math.hypot(x1 - x2, y1 - y2);
            };
            const before = all.size === 2 ? distance() : 0;
            all.set(event.pointerId, [event.clientX, event.clientY]);
            if (all.size === 2 && before > 0) {
                const { left, top } = box();
                const [[x1, y1], [x2, y2]] = [...all.values()];
                zoom(distance() / before, (x1 + x2) / 2 - left, (y1 + y2) / 2 - top);
            } else {
                move(dx, dy);
            }
        },
        onPointerUp: (event) => pointers.current.delete(event.pointerId),
        onPointerCancel: (event) => pointers.current.delete(event.pointerId),
        onClickCapture: (event) => {
            if (dragged.current) {
                event.preventDefault();
                event.stopPropagation();
                dragged.current = false;
            }
        },
        onDragStart: (event) => event.preventDefault(),
        onKeyDown: (event) => {
            const action = {
                ArrowLeft: () => move(STEP, 0),
                ArrowRight: () => move(-STEP, 0),
                ArrowUp: () => move(0, STEP),
                ArrowDown: () => move(0, -STEP),
                "+": () => zoom(1.25),
                "-": () => zoom(0.8),
                0: () => fit(),
            }[event.key];
            if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
                event.preventDefault();
                action();
                onMove();
            }
        },
    };
    return { view, handlers, fit, zoom, show, start: () => fit(true) };
}
