import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { FormPage } from "../../ui/form/form-page.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { NotFoundScreen } from "../../ui/page/not-found.tsx";
import { Section } from "../../ui/page/section.tsx";
import {
  alarmsForm,
  messengerForm,
  messengerInput,
  newMessenger,
  serviceForm,
  valuesOf,
  withService,
} from "./messenger-form.ts";
import { type Messenger, type MessengerForm, type MessengerKind, messengersApi } from "./messengers-api.ts";

const LIST = "/settings/notifications";

/** Page for editing a messenger, or creating one if the id is `new`. */
export function MessengerPage({ id }: { id: string }) {
  const list = useResource(messengersApi.list, []);
  if (id === "new") return <MessengerFormPage />;
  return (
    <Loaded of={list}>
      {(messengers) => {
        const messenger = messengers.find(({ messengerId }) => messengerId === id);
        return messenger === undefined ? <NotFoundScreen /> : <MessengerFormPage messenger={messenger} />;
      }}
    </Loaded>
  );
}

function MessengerFormPage({ messenger }: { messenger?: Messenger }) {
  const { route } = useLocation();
  const form = useSchemaForm(messengerForm, messenger ? valuesOf(messenger) : newMessenger());
  const { values, onChange } = form.state;
  const submit = () =>
    form.send(async (body) => {
      const input = messengerInput(body) as unknown as MessengerForm; // the API checks it
      const saved = messenger
        ? await messengersApi.update(messenger.messengerId, input)
        : await messengersApi.create(input);
      toast("success", t("messenger.saved", { name: saved.name }));
      route(LIST);
    });
  return (
    <FormPage
      title={messenger ? t("common.editName", { name: messenger.name }) : t("messenger.create")}
      back={{ href: LIST, text: t("page.notifications") }}
      isNested
      submitText={t("common.save")}
      onSubmit={submit}
      busy={form.busy}
      error={form.error}
    >
      <div class="panel flex flex-col gap-4 p-4 sm:p-5">
        <p class="text-sm text-soft">{t(`messengerHint.${values.kind as MessengerKind}`)}</p>
        <SchemaFields
          form={serviceForm(values)}
          {...form.state}
          onChange={(next) => onChange(withService(values, next))}
        />
      </div>
      <Section id="messenger-alarms" title={t("nav.alarms")}>
        <SchemaFields form={alarmsForm} {...form.state} />
      </Section>
    </FormPage>
  );
}
