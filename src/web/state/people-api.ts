import { call, get } from "./api.ts";
import type { User, UserEdit } from "./people-types.ts";

const user = (id: string): string => `/api/users/${encodeURIComponent(id)}`;

export const peopleApi = {
  user: (id: string) => get<User>(user(id)),
  updateUser: async (id: string, body: UserEdit) => (await call<User>("PATCH", user(id), body)).body,
};
