import { call, get, post, queryOf } from "../../platform/api.ts";
import type {
  ApiKey,
  Invitation,
  InviteDelivery,
  NewApiKey,
  NewUser,
  User,
  UserEdit,
  UserListQuery,
} from "./users-types.ts";

const apiKey = (id: string): string => `/api/api-keys/${encodeURIComponent(id)}`;
const user = (id: string): string => `/api/users/${encodeURIComponent(id)}`;

export const peopleApi = {
  async users(query: UserListQuery): Promise<{ rows: User[]; total: number }> {
    const answer = await call<User[]>("GET", `/api/users?${queryOf(query)}`);
    return { rows: answer.body, total: answer.total ?? answer.body.length };
  },
  user: (id: string) => get<User>(user(id)),
  createUser: (body: NewUser) => post<Invitation>("/api/users", body),
  updateUser: async (id: string, body: UserEdit) => (await call<User>("PATCH", user(id), body)).body,
  deleteUser: (id: string) => call<unknown>("DELETE", user(id)),
  /** Gives the user a new temporary password, which the answer has. */
  invite: (id: string, delivery: InviteDelivery) =>
    post<Invitation>(`${user(id)}/invite/${delivery === "EMAIL" ? "email" : "credentials"}`),
  apiKeys: () => get<ApiKey[]>("/api/api-keys"),
  /** `key` is the credential itself, which is shown this once. */
  createApiKey: (body: NewApiKey) => post<ApiKey & { key: string }>("/api/api-keys", body),
  renameApiKey: (id: string, name: string) => call<ApiKey>("PATCH", apiKey(id), { name }),
  revokeApiKey: (id: string) => call<unknown>("DELETE", apiKey(id)),
  assets: () => get<{ assetId: string; count: number }[]>("/api/devices/assets?limit=10000"),
};
