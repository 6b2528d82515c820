import { api } from "./api.ts";
import { keepToken } from "./session.ts";

/** The server ends the session if it can be reached; this browser forgets the token in any case. */
export async function signOut(): Promise<void> {
  await api.logout().catch(() => undefined);
  keepToken(undefined);
}
