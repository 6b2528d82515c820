import { endRequests } from "./api-client.ts";
import { keepToken, leaveActing, noteSignedOut } from "./session.ts";
import { sessionApi } from "./session-api.ts";

/** Ends the session in which a user acts as another; false if there is none. */
export async function stopActing(): Promise<boolean> {
  await sessionApi.logout().catch(() => undefined);
  return leaveActing();
}

/** Ends the session on the server if it can be reached; this browser discards the token in any case. */
export async function signOut(): Promise<void> {
  endRequests();
  noteSignedOut(); // first, because the live connection also notices the end of the session and may leave the page
  if (await stopActing()) await sessionApi.logout().catch(() => undefined);
  keepToken(undefined);
}
