import { iso } from "../../lib/time/iso-time.ts";
import { createTemporaryPassword } from "../../modules/users/temporary-password.ts";
import { loginUrlOf } from "../../modules/users/user-invitation.ts";
import type { User } from "../../modules/users/users.types.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { consoleUrl } from "../gateway-url.ts";
import {
  type ActionRequest,
  type ActionResult,
  printTable,
  roleHelp,
  roleOf,
  runAction,
  shortRole,
  storeOptions,
  tenantOf,
} from "../user-store.ts";

const options = {
  ...storeOptions,
  name: { type: "string", help: "full name of a new user" },
  role: { type: "string", help: `role of a new user: ${roleHelp}` },
} as const;

const USAGE = `lineside user <action> [email] [--option …]

  list                     List the users of the gateway
  add <email>              Add a user with a temporary password (--role, --name)
  reset-password <email>   Set a new temporary password and sign the user out everywhere
  role <email> <role>      Change the role and sign the user out everywhere
  disable <email>          Lock the user out immediately; what the user created stays
  enable <email>           Let the user sign in again
  delete <email>           Delete the user

The command works on the data directory, also while the gateway runs.`;

/** Finds a user by email address, which is unique in the whole gateway. @throws StartupError */
function userOf({ store, args }: ActionRequest): User {
  const email = args.positionals[1];
  if (email === undefined) throw new StartupError("Enter the email address of the user.");
  const user = store.users.findByEmail(email);
  if (user === undefined)
    throw new StartupError(
      `There is no user with the email address ${email}. Use lineside user list to see all users.`,
    );
  return user;
}

function toJson({ userId, email, fullName, role, status, tenantId, createdAt }: User) {
  return { userId, email, fullName, role, status, tenantId, createdAt: iso(createdAt) };
}

const entry = (action: string, before: User | undefined, after: User | undefined) => {
  const user = after ?? before;
  return {
    tenantId: user?.tenantId ?? null,
    action,
    ...(user && { target: { type: "user", id: user.userId, name: user.fullName } }),
    ...(before && { before: toJson(before) }),
    ...(after && { after: toJson(after) }),
  };
};

const result = (user: User, sentence: string, done: ActionResult["done"] & object) => ({
  data: toJson(user),
  done,
  print: () => console.log(sentence),
});

async function withPassword({ store, config }: ActionRequest, user: User) {
  const temporaryPassword = createTemporaryPassword();
  await store.provider.setTemporaryPassword(user.email, temporaryPassword);
  const loginUrl = loginUrlOf(consoleUrl(config), user.email);
  return {
    data: { ...toJson(user), temporaryPassword, loginUrl },
    print() {
      console.log(`Email:               ${user.email}`);
      console.log(`Temporary password:  ${temporaryPassword}`);
      console.log(`Sign in:             ${loginUrl}`);
      console.log("The password has to be changed at the first sign-in.");
    },
  };
}

const actions: Record<string, (request: ActionRequest) => ActionResult | Promise<ActionResult>> = {
  async list({ store, args }) {
    const named = args.values.tenant;
    const tenants = named === undefined ? store.tenants.list() : [tenantOf(store, named)];
    const users = tenants.flatMap(
      ({ tenantId }) => store.users.list(tenantId, { limit: -1, offset: 0 }).items,
    );
    return {
      data: users.map(toJson),
      print: () =>
        printTable(
          ["EMAIL", "NAME", "ROLE", "STATUS"],
          users.map(({ email, fullName, role, status }) => [
            email,
            fullName,
            shortRole(role),
            status.toLowerCase(),
          ]),
        ),
    };
  },
  async add(request) {
    const { store, args } = request;
    const email = args.positionals[1];
    if (email === undefined || !/^[^\s@<>,;:"\\]+@[^\s@<>,;:"\\]+$/.test(email))
      throw new StartupError(
        "Enter the email address of the new user: lineside user add you@plant.example --role rw.",
      );
    const role = roleOf(args.values.role);
    const { tenantId } = tenantOf(store, args.values.tenant);
    const fullName = args.values.name ?? email.split("@")[0] ?? "";
    const user = store.registry.add({ tenantId, email, fullName, role }, {});
    return { ...(await withPassword(request, user)), done: entry("user.create", undefined, user) };
  },
  async "reset-password"(request) {
    const user = userOf(request);
    const result = await withPassword(request, user);
    request.store.sessions.endAll(user.userId);
    return { ...result, done: entry("user.reset_password", user, user) };
  },
  async role(request) {
    const before = userOf(request);
    const role = roleOf(request.args.positionals[2]);
    const user = request.store.registry.change(before.userId, () => ({ role }));
    return result(
      user,
      `${user.email} has the role ${shortRole(role)} now.`,
      entry("user.update", before, user),
    );
  },
  async disable(request) {
    const before = userOf(request);
    const user = request.store.registry.change(before.userId, () => ({ status: "DISABLED" }));
    return result(user, `${user.email} cannot sign in any more.`, entry("user.update", before, user));
  },
  async enable(request) {
    const before = userOf(request);
    const user = request.store.registry.change(before.userId, () => ({ status: "ACTIVE" }));
    return result(user, `${user.email} may sign in again.`, entry("user.update", before, user));
  },
  async delete(request) {
    const user = request.store.registry.remove(userOf(request).userId);
    return result(user, `${user.email} is deleted.`, entry("user.delete", user, undefined));
  },
};

/** `lineside user …`: manages users on the machine of the gateway. */
export const userCommand = (args: readonly string[]): Promise<number> =>
  runAction(args, { usage: USAGE, options, actions });
