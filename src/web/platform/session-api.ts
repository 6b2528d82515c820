import type { Me } from "../lib/api-types.ts";
import { get, LOGOUT_PATH, post } from "./api-client.ts";

export const sessionApi = {
  /** Id of the user's start dashboard; the overview if there is none, or if it cannot be read. */
  startPage: () =>
    get<{ start: string | null }>("/api/dashboards/mine").then(
      ({ start }) => start,
      () => null,
    ),
  me: () => get<Me>("/api/auth/me"),
  refresh: () => post<{ accessToken: string }>("/api/auth/refresh"),
  logout: () => post<unknown>(LOGOUT_PATH),
  exchange: (code: string, codeVerifier: string) =>
    post<{ accessToken: string }>("/api/auth/exchange", { code, codeVerifier }),
  authorize: (body: { email: string; password: string; redirectUri: string; codeChallenge: string }) =>
    post<{ code: string }>("/idp/authorize", body),
};
