// Sign-in state. The token lives in one of two stores: the one of this browser ("stay signed in") or of this tab only.
import { computed, signal } from "@preact/signals";
import type { Me } from "../lib/api-types.ts";
import { codeChallenge, randomToken } from "../lib/pkce.ts";
import { claimsOf } from "../lib/token-claims.ts";
import { withBase } from "./base.ts";
import { language, readStored, storedName, theme, writeStored } from "./preferences.ts";

const TOKEN_KEY = "lineside.token";
/** Token of a user who acts as another user. It is stored for this tab only, in addition to the user's own token. */
const ACTING_KEY = "lineside.acting";
const SIGNED_OUT_KEY = "lineside.signed-out";
const PENDING_KEY = "lineside.sign-in";
const tab = () => sessionStorage;

const ownToken = () => readStored(TOKEN_KEY) ?? readStored(TOKEN_KEY, tab);
const isActing = () => readStored(ACTING_KEY, tab) !== undefined;

export const token = signal<string | undefined>(readStored(ACTING_KEY, tab) ?? ownToken());
/** Token of a shared dashboard. It replaces the session on its page, even if a user is signed in. */
export const shareToken = signal<string | undefined>(undefined);
export const hasShareEnded = signal(false);
export const bearer = computed(() => shareToken.value ?? token.value);
/** Stays the same when the token of a session is renewed. */
export const sessionId = computed(() => claimsOf(token.value)?.sid ?? token.value);
export const me = signal<Me | undefined>(undefined);
export const staySignedIn = signal(readStored("lineside.stay") !== "no");
/** Returns whether the user has the permission; the console hides operations that the server would refuse. */
export const may = (permission: string): boolean => me.value?.permissions?.includes(permission) ?? false;
export const mayWrite = computed(() => may("devices:write"));

function storeOwn(value: string | undefined): void {
  writeStored(TOKEN_KEY, staySignedIn.value ? value : undefined);
  writeStored(TOKEN_KEY, staySignedIn.value ? undefined : value, tab);
}

export function keepToken(value: string | undefined): void {
  writeStored(ACTING_KEY, undefined, tab);
  token.value = value;
  storeOwn(value);
  if (value === undefined) me.value = undefined;
  else writeStored(SIGNED_OUT_KEY, undefined);
}

/** Stores a new token of the same session. */
export function renewToken(value: string): void {
  if (isActing()) writeStored(ACTING_KEY, value, tab);
  else storeOwn(value);
  token.value = value;
}

/** Lets this tab act as another user. */
export function actWith(value: string): void {
  writeStored(ACTING_KEY, value, tab);
  me.value = undefined;
  token.value = value;
}

/** Ends acting as another user; false if there was none. */
export function leaveActing(): boolean {
  if (!isActing()) return false;
  writeStored(ACTING_KEY, undefined, tab);
  me.value = undefined;
  token.value = ownToken();
  return true;
}

/** Applies a sign-in or sign-out in one tab to the others with the same storage. */
export function watchOtherTabs(): void {
  window.addEventListener("storage", (event) => {
    if (isActing()) return; // the administrator's sign-out also ends this session; the next request notices
    if (event.key === storedName(TOKEN_KEY) && event.newValue !== null) token.value = event.newValue;
    else if (event.key === storedName(TOKEN_KEY) && readStored(TOKEN_KEY, tab) === undefined) {
      token.value = undefined;
      me.value = undefined;
    }
  });
}

export function setStaySignedIn(stay: boolean): void {
  const own = ownToken();
  staySignedIn.value = stay;
  writeStored("lineside.stay", stay ? undefined : "no");
  storeOwn(own);
}

interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly returnTo: string;
}

export const CALLBACK_PATH = "/auth/callback";

/** Remembers the sign-out, so that the next sign-in asks for the account: an external provider would sign in again by itself. */
export function noteSignedOut(): void {
  writeStored(SIGNED_OUT_KEY, "yes");
}

/** Time after a session's end in which only the first caller leaves, because several places notice the end simultaneously. */
const LEAVING_MS = 2000;
let leftAt = Number.NEGATIVE_INFINITY;

/** Opens the hosted sign-in page; the requested address is opened after it. `loginHint`: e-mail address to fill in. */
export function startSignIn(returnTo: string, loginHint?: string): void {
  if (performance.now() - leftAt < LEAVING_MS) return;
  leftAt = performance.now();
  const pending: PendingSignIn = { state: randomToken(16), verifier: randomToken(), returnTo };
  writeStored(PENDING_KEY, JSON.stringify(pending), tab);
  const query = new URLSearchParams({
    redirect_uri: withBase(CALLBACK_PATH),
    code_challenge: codeChallenge(pending.verifier),
    code_challenge_method: "S256",
    state: pending.state,
    ui_locales: language.value,
  });
  if (readStored(SIGNED_OUT_KEY) !== undefined) query.set("prompt", "login");
  if (theme.value !== "system") query.set("theme", theme.value);
  if (loginHint) query.set("login_hint", loginHint);
  location.replace(withBase(`/idp/authorize?${query}`));
}

/** Returns the sign-in that this tab started, if the response belongs to it. It can be taken once. */
export function takePendingSignIn(state: string | undefined): PendingSignIn | undefined {
  const stored = readStored(PENDING_KEY, tab);
  writeStored(PENDING_KEY, undefined, tab);
  if (!stored) return undefined;
  // Written only by `startSignIn` above.
  const pending = JSON.parse(stored) as PendingSignIn;
  return pending.state === state ? pending : undefined;
}
