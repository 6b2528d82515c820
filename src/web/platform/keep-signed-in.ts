import { HOUR_MS } from "../../lib/core/units.ts";
import { claimsOf } from "../lib/token-claims.ts";
import { serverNow } from "./now.ts";
import { renewToken, token } from "./session.ts";
import { sessionApi } from "./session-api.ts";

/** A token is valid for 12 h, its session for 30 days from the last renewal: a wall panel stays signed in. */
const RENEW_BELOW_MS = 11 * HOUR_MS;
const CHECK_EVERY_MS = 10 * 60_000;

let renewedAt = 0;
let isRunning = false;

async function renew(): Promise<void> {
  const present = token.value;
  if (present === undefined || isRunning) return;
  const leftMs = (claimsOf(present)?.exp ?? 0) * 1000 - serverNow();
  // Also by the page's own time: the gateway's clock may have been set.
  const isDue = leftMs < RENEW_BELOW_MS || performance.now() - renewedAt > HOUR_MS;
  if (!isDue) return;
  isRunning = true;
  try {
    const { accessToken } = await sessionApi.refresh();
    renewedAt = performance.now();
    if (token.value === present) renewToken(accessToken);
  } catch {
    // The next check tries again; an end of the session is noticed by the request itself.
  } finally {
    isRunning = false;
  }
}

export function keepSignedIn(): void {
  const check = () => void renew();
  setInterval(check, CHECK_EVERY_MS);
  document.addEventListener("visibilitychange", check);
  check();
}
