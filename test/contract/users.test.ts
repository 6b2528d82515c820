import { afterAll, describe, expect, test } from "bun:test";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { PASSWORD } from "../support/test-app.ts";
import { type ContractRow, contract, createWorld, keep, nothing } from "./client.ts";
import {
  boolean,
  count,
  iso,
  listOf,
  number,
  oneOf,
  type Shape,
  string,
  text,
  uuid,
  without,
} from "./shapes.ts";

const world = createWorld();
const time = "/api/users";
const strings = (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? undefined : "no list of texts";
const user = {
  userId: uuid,
  fullName: text,
  email: text,
  role: oneOf("TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"),
  status: oneOf("ACTIVE", "DISABLED"),
  isProtected: boolean,
  createdAt: iso,
  updatedAt: iso,
};
const every = {
  ...user,
  notificationsEmailEnabled: boolean,
  notificationsMessagingEnabled: boolean,
  notificationPhone: string,
  notificationEscalationLevel: number,
  notificationSeverities: strings,
  notifyOnAlarmCreated: boolean,
  notifyOnAlarmEscalated: boolean,
  notifyOnAlarmCleared: boolean,
  canAcknowledgeAlarms: boolean,
  hasGlobalAssetAccess: boolean,
  hasGlobalDeviceAccess: boolean,
  assetIds: strings,
  deviceIds: strings,
  assetCount: count,
  deviceCount: count,
};
const invitation = {
  success: true,
  userId: uuid,
  email: text,
  fullName: text,
  loginUrl: /^https?:\/\//,
  temporaryPassword: text,
  inviteDelivery: oneOf("EMAIL", "MANUAL"),
  inviteSent: boolean,
  shareText: text,
};
const person = (email: string, fields: object = {}) => ({
  body: { fullName: "Ann Other", email, role: "TENANT_RW", ...fields },
});
const shares: Shape = (body) => {
  const { shareText, loginUrl, email, temporaryPassword } = body as Record<string, string>;
  const missing = [loginUrl, email, temporaryPassword].filter((part) => !shareText?.includes(part ?? "?"));
  return missing.length === 0 && shareText?.includes("\n") ? undefined : `shareText lacks ${missing}`;
};
const writable = {
  fullName: "Ann B",
  notificationsEmailEnabled: false,
  notificationsMessagingEnabled: true,
  notificationPhone: "+431234567",
  notificationEscalationLevel: 2,
  notificationSeverities: ["MAJOR", "CRITICAL"],
  notifyOnAlarmCreated: false,
  notifyOnAlarmEscalated: true,
  notifyOnAlarmCleared: true,
  canAcknowledgeAlarms: true,
  hasGlobalAssetAccess: false,
};

describe("creating a user", () => {
  contract(world, [
    [
      "answers an invitation",
      `admin POST ${time}`,
      201,
      { ...person("ann@plant.example"), is: invitation, check: keep(world, "ann", (body) => body.userId) },
    ],
    [
      "the text to share has link, address and password",
      `admin POST ${time}`,
      201,
      {
        ...person("bob@plant.example", { inviteDelivery: "MANUAL" }),
        is: shares,
        check: keep(world, "bob", (body) => body.userId),
      },
    ],
    [
      "MANUAL sends nothing",
      `admin POST ${time}`,
      201,
      {
        ...person("cyd@plant.example", { inviteDelivery: "MANUAL" }),
        is: { inviteDelivery: "MANUAL", inviteSent: false },
      },
    ],
    [
      "takes a status",
      `admin POST ${time}`,
      201,
      {
        ...person("dan@plant.example", { status: "DISABLED" }),
        is: invitation,
        check: keep(world, "dan", (body) => body.userId),
      },
    ],
    ["has that status", `admin GET ${time}/{dan}`, 200, { is: { status: "DISABLED" } }],
    [
      "takes devices",
      `admin POST ${time}`,
      201,
      {
        body: () =>
          person("eve@plant.example", { hasGlobalDeviceAccess: false, deviceIds: [world.ids.device] }).body,
        check: keep(world, "eve", (body) => body.userId),
      },
    ],
    [
      "has those devices",
      `admin GET ${time}/{eve}`,
      200,
      { is: { hasGlobalDeviceAccess: false, deviceCount: 1 } },
    ],
    ["409 for an address that is there", `admin POST ${time}`, 409, person("ann@plant.example")],
    ["403 for a read-write user", `rw POST ${time}`, 403, person("x@plant.example")],
    ["403 for a reader", `reader POST ${time}`, 403, person("x@plant.example")],
    [
      "403 for an administrator who creates an owner",
      `admin POST ${time}`,
      403,
      person("x@plant.example", { role: "TENANT_OWNER" }),
    ],
    ...Object.entries({
      "no name": { fullName: undefined },
      "no address": { email: undefined },
      "no role": { role: undefined },
      "an unknown role": { role: "KING" },
      "an address that is none": { email: "nobody" },
      "an unknown delivery": { inviteDelivery: "PIGEON" },
      "an unknown status": { status: "ASLEEP" },
      "a name that is a number": { fullName: 5 },
      "severities that are no list": { notificationSeverities: "MAJOR" },
      "a flag that is a text": { canAcknowledgeAlarms: "yes" },
      "an object as role": { role: { toString: 1 } },
    }).map(
      ([name, fields]): ContractRow => [
        `400 without a body for ${name}`,
        `admin POST ${time}`,
        400,
        { ...person("y@plant.example", fields), is: nothing },
      ],
    ),
  ]);
});

describe("reading users", () => {
  contract(world, [
    ["lists them to an administrator", `admin GET ${time}`, 200, { is: listOf(user) }],
    [
      "lists no other tenant's",
      `admin GET ${time}`,
      200,
      { is: without({ email: "user5@elsewhere.example" }) },
    ],
    [
      "reads one with every field",
      `admin GET ${time}/{ann}`,
      200,
      { is: { ...every, email: "ann@plant.example", role: "TENANT_RW", status: "ACTIVE" } },
    ],
    [
      "tells that the last owner is protected",
      `admin GET ${time}/{ownerUser}`,
      200,
      { is: { isProtected: true } },
    ],
    ["tells that others are not", `admin GET ${time}/{ann}`, 200, { is: { isProtected: false } }],
    ["404 for an unknown user", `owner GET ${time}/{unknown}`, 404],
    ["404 for another tenant's", `owner GET ${time}/{strangerUser}`, 404],
  ]);
});

describe("changing a user", () => {
  contract(world, [
    [
      "takes every writable field",
      `admin PATCH ${time}/{ann}`,
      200,
      { body: writable, is: { ...every, ...writable } },
    ],
    ["keeps them", `admin GET ${time}/{ann}`, 200, { is: writable }],
    [
      "takes role and status",
      `admin PATCH ${time}/{bob}`,
      200,
      {
        body: { role: "TENANT_READ_ONLY", status: "DISABLED" },
        is: { role: "TENANT_READ_ONLY", status: "DISABLED" },
      },
    ],
    [
      "takes a way of inviting",
      `admin PATCH ${time}/{bob}`,
      200,
      { body: { inviteDelivery: "MANUAL", status: "ACTIVE" }, is: { status: "ACTIVE" } },
    ],
    [
      "takes devices",
      `admin PATCH ${time}/{eve}`,
      200,
      { body: () => ({ deviceIds: [world.ids.device, world.ids.granted] }), is: { deviceCount: 2 } },
    ],
    ["403 for a read-write user", `rw PATCH ${time}/{ann}`, 403, { body: { fullName: "x" } }],
    ["403 for a reader", `reader PATCH ${time}/{ann}`, 403, { body: { fullName: "x" } }],
    ["404 for another tenant's", `owner PATCH ${time}/{strangerUser}`, 404, { body: { fullName: "x" } }],
    [
      "403 for an administrator who changes an owner",
      `admin PATCH ${time}/{ownerUser}`,
      403,
      { body: { fullName: "x" } },
    ],
    [
      "403 for an administrator who makes an owner",
      `admin PATCH ${time}/{ann}`,
      403,
      { body: { role: "TENANT_OWNER" } },
    ],
    [
      "the last owner is not disabled",
      `owner PATCH ${time}/{ownerUser}`,
      409,
      { body: { status: "DISABLED" } },
    ],
    [
      "the last owner is not demoted",
      `owner PATCH ${time}/{ownerUser}`,
      409,
      { body: { role: "TENANT_ADMIN" } },
    ],
    ["the last owner is not deleted", `owner DELETE ${time}/{ownerUser}`, 409],
    ...[
      [],
      "x",
      5,
      true,
      { role: "KING" },
      { status: "ASLEEP" },
      { fullName: 5 },
      { notificationSeverities: ["BAD"] },
      { deviceIds: "x" },
    ].map(
      (body): ContractRow => [`refuses ${JSON.stringify(body)}`, `admin PATCH ${time}/{ann}`, 400, { body }],
    ),
  ]);
});

describe("invitations", () => {
  const manual = `${time}/{ann}/invite/credentials`;
  const byMail = `${time}/{ann}/invite/email`;
  contract(world, [
    [
      "give a link and a new password",
      `admin POST ${manual}`,
      200,
      { is: { ...invitation, inviteDelivery: "MANUAL" } },
    ],
    ["have a text to share", `admin POST ${manual}`, 200, { is: shares }],
    ["403 for a read-write user", `rw POST ${manual}`, 403],
    ["403 for a reader", `reader POST ${byMail}`, 403],
    ["404 for another tenant's user", `owner POST ${time}/{strangerUser}/invite/credentials`, 404],
    ["404 by mail for another tenant's user", `owner POST ${time}/{strangerUser}/invite/email`, 404],
    [
      "403 for an administrator who invites an owner",
      `admin POST ${time}/{ownerUser}/invite/credentials`,
      403,
    ],
    [
      "by mail reset the password",
      `admin POST ${byMail}`,
      200,
      { is: { ...invitation, inviteDelivery: "EMAIL", passwordReset: true } },
    ],
  ]);

  test("the temporary password signs in only with a new one beside it", async () => {
    const { email, temporaryPassword: password } = await world.need("admin", `POST ${manual}`);
    const first = await world.ask("anonymous", "POST /idp/authorize", { body: { email, password } });
    expect(first.status).toBe(403);
    const second = await world.ask("anonymous", "POST /idp/authorize", {
      body: { email, password, newPassword: PASSWORD },
    });
    expect([second.status, typeof second.body.code]).toEqual([200, "string"]);
  });
});

describe("deleting a user", () => {
  contract(world, [
    ["403 for a read-write user", `rw DELETE ${time}/{ann}`, 403],
    ["403 for a reader", `reader DELETE ${time}/{ann}`, 403],
    ["404 for another tenant's", `owner DELETE ${time}/{strangerUser}`, 404],
    ["answers success", `admin DELETE ${time}/{ann}`, 200, { is: { success: true } }],
    ["is gone then", `admin GET ${time}/{ann}`, 404],
    ["is not listed", `admin GET ${time}`, 200, { is: without({ email: "ann@plant.example" }) }],
  ]);
});

describe("with a mail server", () => {
  let mail: MailServer;
  const mailed = createWorld({
    prepare: async () => undefined,
    lateConfig: async () => {
      mail = await startMailServer();
      return { smtp_url: mail.url, smtp_from: "gateway@plant.example" };
    },
  });
  afterAll(() => mail.stop());

  test("EMAIL sends link, address and temporary password", async () => {
    const created = await mailed.need(
      "admin",
      `POST ${time}`,
      person("zoe@plant.example", { inviteDelivery: "EMAIL" }).body,
    );
    expect([created.inviteDelivery, created.inviteSent]).toEqual(["EMAIL", true]);
    const received = await mail.next();
    expect(received.recipients).toEqual(["zoe@plant.example"]);
    expect(received.parsed.text).toContain(created.temporaryPassword);
    expect(received.parsed.text).toContain(created.loginUrl);
  });
});
