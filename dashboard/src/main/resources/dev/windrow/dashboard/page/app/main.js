/** The start of the page: signing in, the side bar, and the view of the address. */
import { address, onSignedIn, onSignedOut, signIn } from "./api.js";
import { Dialog, Toasts } from "./dialogs.js";
import { Side, VIEWS } from "./frame.js";
import { html, render, useEffect, useState } from "./html.js";
import { useLive } from "./live.js";
import { Boundary, Empty, Head, Icon, Loaded, NotLive, Outdated, Skeleton } from "./parts.js";
import { useRoute } from "./route.js";
import { apply } from "./settings.js";

/** The views of one thing, by the view that lists them: #/jobs/17 opens the view "job". */
const DETAILS = { jobs: "job" };

/** Loads the module of a view when it is opened for the first time. A view of null loads nothing. */
function useView(name) {
    const [views, setViews] = useState({});
    useEffect(() => {
        if (name && !views[name]) {
            import(`../views/${name}.js`).then(
                (module) => setViews((all) => ({ ...all, [name]: module.default })),
                () => setViews((all) => ({ ...all, [name]: Outdated })),
            );
        }
    }, [name]);
    return views[name];
}

function Unknown() {
    return html`<${Head} title="Not found" />
        <div class="card"><${Empty} title="This page does not exist.">Choose one from the side bar, or search with Ctrl K.<//></div>`;
}

function App() {
    const { path, query } = useRoute();
    const name = path[0] ?? "overview";
    const known = VIEWS.flat().some(([listed]) => listed === name);
    const view = (path.length > 1 && DETAILS[name]) || name;
    const View = useView(known ? view : null);
    const [signedOut, setSignedOut] = useState(false);
    const [asks, setAsks] = useState(false);
    const [round, setRound] = useState(0);
    const start = useLive(address(""), { once: true });
    const about = start.data;
    const overview = useLive(about?.permissions.includes("view") ? address("overview") : null);
    // The dialog opens by itself once, and then by the button of the banner.
    useEffect(() => onSignedOut(() => setSignedOut(true)), []);
    useEffect(() => setAsks(signedOut), [signedOut]);
    // Without a token of its own, the page may be signed in again elsewhere.
    useEffect(() => {
        if (!start.problem && !overview.problem) {
            setSignedOut(false);
        }
    }, [start.problem, overview.problem]);
    useEffect(
        () =>
            onSignedIn(() => {
                setSignedOut(false);
                setRound((n) => n + 1);
                start.reload();
                overview.reload();
            }),
        [],
    );
    return html`<a class="off skip" href="#main" onClick=${toMain}>Skip to content</a>
        <div class="app">
            <${Side} about=${about} view=${name} problems=${problemsOf(overview.data)} />
            <main class="main" id="main" tabindex="-1">
                ${!about && html`<h1 class="off">Windrow</h1>`}
                <${NotLive} />
                ${signedOut && html`<${SignedOut} ask=${() => setAsks(true)} />`}
                ${
                    !known
                        ? html`<${Unknown} />`
                        : html`<${Loaded} live=${start}>
                              ${(about) =>
                                  View
                                      ? html`<${Boundary} key=${view + round} at=${location.hash}>
                                            <${View} about=${about} path=${path} query=${query} overview=${overview} />
                                        <//>`
                                      : html`<${Skeleton} />`}
                          <//>`
                }
            </main>
        </div>
        <${Toasts} />
        ${asks && html`<${SignIn} close=${() => setAsks(false)} />`}`;
}

function problemsOf(data) {
    return Object.values(data?.problemsInAll ?? {}).reduce((sum, n) => sum + n, 0);
}

/** The address is the hash, so the link of the skip moves the focus only. */
function toMain(event) {
    event.preventDefault();
    document.getElementById("main").focus();
}

function SignedOut({ ask }) {
    return html`<div class="banner warn">
        <${Icon} name="warnsign" />
        <p class="grow"><b>You are not signed in.</b> The data on this page may be old.</p>
        <button class="btn slim" type="button" onClick=${ask}>Sign in</button>
    </div>`;
}

function SignIn({ close }) {
    const submit = (event) => {
        event.preventDefault();
        signIn(new FormData(event.target).get("token").trim());
    };
    return html`<${Dialog} title="Sign in" close=${close}>
        <form class="stack" onSubmit=${submit}>
            <p>The token is missing or no longer valid. Your filter and selection are kept.</p>
            <label class="field"><span>Token</span><input class="input" name="token" type="password" required autocomplete="off" /></label>
            <div class="acts"><button class="btn main-act">Sign in</button></div>
        </form>
    <//>`;
}

apply();
render(html`<${App} />`, document.getElementById("app"));
