import { call, get, post, queryOf } from "../../platform/api-client.ts";
import type { Invitation, InviteDelivery, NewUser, User, UserEdit, UserListQuery } from "./users-types.ts";

const user = (id: string): string => `/api/users/${encodeURIComponent(id)}`;

export const usersApi = {
  async list(query: UserListQuery): Promise<{ rows: User[]; total: number }> {
    const answer = await call<User[]>("GET", `/api/users?${queryOf(query)}`);
    return { rows: answer.body, total: answer.total ?? answer.body.length };
  },
  get: (id: string) => get<User>(user(id)),
  create: (body: NewUser) => post<Invitation>("/api/users", body),
  update: async (id: string, body: UserEdit) => (await call<User>("PATCH", user(id), body)).body,
  delete: (id: string) => call<unknown>("DELETE", user(id)),
  /** Gives the user a new temporary password, which the answer has. */
  invite: (id: string, delivery: InviteDelivery) =>
    post<Invitation>(`${user(id)}/invite/${delivery === "EMAIL" ? "email" : "credentials"}`),
  impersonate: async (targetUserId: string) =>
    (await post<{ accessToken: string }>("/api/auth/impersonate", { targetUserId })).accessToken,
};
