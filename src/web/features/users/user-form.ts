import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { Fields, FormDefinition } from "../../ui/form/form-definition.ts";
import { AccessFields } from "./access-fields.tsx";
import { RoleSelect } from "./role-select.tsx";
import type { InviteDelivery, User, UserStatus } from "./users-types.ts";

const schema = formSchema("users/users.schemas.ts", "createUserBody");
const name = { path: "fullName", text: "name" } as const;
const email = { path: "email", text: "eMail", input: { type: "email", autocomplete: "off" } } as const;
const role = { path: "role", control: RoleSelect } as const;
const access = { path: "hasGlobalDeviceAccess", text: "access", control: AccessFields } as const;

/** Channels and topics of a user's notifications. */
const notificationFields: Fields = [
  [
    {
      group: "when",
      fields: ["notifyOnAlarmCreated", "notifyOnAlarmEscalated", "notifyOnAlarmCleared"],
    },
    {
      path: "notificationSeverities",
      optionText: (severity) => t(`severity.${severity as User["notificationSeverities"][number]}`),
    },
  ],
  { group: "how", fields: ["notificationsEmailEnabled", "notificationsMessagingEnabled"] },
  [
    { path: "notificationPhone", input: { type: "tel", autocomplete: "tel" } },
    { path: "notificationEscalationLevel", isRequired: true },
  ],
];

export const personForm: FormDefinition = {
  schema,
  texts: ["user"],
  fields: [
    [name, email],
    [role, { path: "status", isRequired: true, optionText: (status) => t(`status.${status as UserStatus}`) }],
  ],
};

export const accessForm: FormDefinition = { schema, texts: ["user"], fields: [access] };

/** Owners and administrators may acknowledge alarms anyway. */
const isLesser = ({ role }: FormValues): boolean => role === "TENANT_RW" || role === "TENANT_READ_ONLY";

export const alarmsForm: FormDefinition = {
  schema,
  texts: ["user"],
  fields: [{ path: "canAcknowledgeAlarms", when: isLesser }, ...notificationFields],
};

export const userForm: FormDefinition = {
  schema,
  texts: ["user"],
  fields: [...personForm.fields, ...accessForm.fields, ...alarmsForm.fields],
};

/** Person and notifications of the user who is signed in. */
export const ownPersonForm: FormDefinition = {
  schema,
  texts: ["user"],
  fields: [
    [
      { ...name, input: { autocomplete: "name" } },
      { ...email, input: { type: "email", autocomplete: "username", readOnly: true } },
    ],
  ],
};

export const ownNotificationsForm: FormDefinition = { schema, texts: ["user"], fields: notificationFields };

export const ownForm: FormDefinition = {
  schema,
  texts: ["user"],
  fields: [...ownPersonForm.fields, ...ownNotificationsForm.fields],
};

export const invitationForm: FormDefinition = {
  schema,
  texts: ["invitation", "user"],
  fields: [
    { ...name, input: { autofocus: true } },
    email,
    role,
    access,
    {
      path: "inviteDelivery",
      isRadio: true,
      optionText: (delivery) => t(`delivery.${delivery as InviteDelivery}`),
    },
  ],
};
