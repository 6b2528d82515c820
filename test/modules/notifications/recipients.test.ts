import { expect, test } from "bun:test";
import type { Messenger } from "../../../src/modules/notifications/messengers.resource.ts";
import { recipientsAmong } from "../../../src/modules/notifications/recipients.ts";
import type { User } from "../../../src/modules/users/users.types.ts";

const owner = { userId: "owner", role: "TENANT_OWNER" } as User;
const reader = { userId: "reader", role: "TENANT_READ_ONLY" } as User;
const messenger = { messengerId: "chat", ruleScope: "ALL" } as Messenger;

test.each([
  ["without a list, everybody", undefined, ["owner", "reader", "chat"]],
  ["with an empty list, nobody, also of an alarm that was queued before", [], []],
  ["with a list, those on it", ["reader", "gone"], ["reader"]],
  ["if all on the list are deleted, the owners", ["gone"], ["owner"]],
])("a rule notifies %s", (_, recipientIds, notified) => {
  const { users, messengers } = recipientsAmong(
    { users: [owner, reader], messengers: [messenger] },
    recipientIds,
  );
  const ids = [...users.map(({ userId }) => userId), ...messengers.map(({ messengerId }) => messengerId)];
  expect(ids).toEqual(notified);
});
