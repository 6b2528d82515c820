import { get, getPage, patch, post, remove } from "../../platform/api-client.ts";
import type { Invitation, InviteDelivery, NewUser, User, UserEdit, UserListQuery } from "./users-types.ts";

const user = (id: string): string => `/api/users/${encodeURIComponent(id)}`;

export const usersApi = {
  list: (query: UserListQuery) => getPage<User>(`/api/users`, query),
  get: (id: string) => get<User>(user(id)),
  create: (body: NewUser) => post<Invitation>("/api/users", body),
  update: (id: string, body: UserEdit) => patch<User>(user(id), body),
  delete: (id: string) => remove(user(id)),
  /** Creates a new temporary password, which the response contains. */
  invite: (id: string, delivery: InviteDelivery) =>
    post<Invitation>(`${user(id)}/invite/${delivery === "EMAIL" ? "email" : "credentials"}`),
  impersonate: async (targetUserId: string) =>
    (await post<{ accessToken: string }>("/api/auth/impersonate", { targetUserId })).accessToken,
};
