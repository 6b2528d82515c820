import { useState } from "preact/hooks";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { codeText, serverText } from "../../platform/i18n/error-texts.ts";
import { formatValue } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Section } from "../../ui/page/section.tsx";
import type { ConnectionView } from "../field/connection-page.tsx";
import { addressText } from "../field/connection-state.tsx";
import { EntryPages, entryUnitCard } from "../field/entry-pages.tsx";
import { type S7Connection, type S7Kind, s7Api } from "./s7-api.ts";
import { S7Form } from "./s7-form.tsx";
import { unitView } from "./s7-unit-page.tsx";

const Settings = ({ connection }: { connection: S7Connection }) => (
  <>
    <span class="reading">{addressText(connection)}</span> ·{" "}
    {t("s7.place", { rack: connection.rack, slot: connection.slot })}
  </>
);

const refusalText = (code: number): string =>
  code === 3
    ? codeText("s7_refusal.access")
    : code === 5
      ? codeText("s7_refusal.range")
      : code === 10
        ? codeText("s7_refusal.missing")
        : serverText({ code: "s7_refusal.other", params: { code } });

const Unit = entryUnitCard<S7Kind>({
  api: s7Api,
  path: "/s7",
  idOf: ({ s7UnitId }) => s7UnitId,
  entriesOf: ({ tags }) => tags,
  countText: (count) => plural("s7.tags", count),
  refusedOf: ({ health }) =>
    health.refused.map(({ key, returnCode }) => ({ key, text: refusalText(returnCode) })),
});

/** Reads one address immediately, before it becomes a tag. */
function AddressReader({ connection }: { connection: S7Connection }) {
  const [address, setAddress] = useState("");
  const [values, setValues] = useState<string | undefined>(undefined);
  const action = useAction();
  const submit = (e: SubmitEvent) => {
    e.preventDefault();
    setValues(undefined);
    action.run(async () => {
      const read = await s7Api.read(connection.connectionId, address);
      setValues(read.values.map((value) => (value === null ? "–" : formatValue(value))).join(" · "));
    });
  };
  return (
    <Section id="s7-read" title={t("s7.readTitle")} hint={t("s7.tagsHint")}>
      <form class="flex flex-wrap items-end gap-3" onSubmit={submit}>
        <TextField
          label={t("entryField.address")}
          required
          maxLength={maxLengthOf("s7/s7.schemas.ts", "readBody", "address")}
          autocomplete="off"
          class="input reading w-full"
          value={address}
          onText={setAddress}
        />
        <button class="btn" type="submit" disabled={action.busy}>
          {t("s7.read")}
        </button>
      </form>
      {values !== undefined && (
        <p class="reading wrap-anywhere" role="status">
          {values}
        </p>
      )}
      <ErrorNote error={action.error} />
    </Section>
  );
}

const view = (): ConnectionView<S7Kind> => ({
  api: s7Api,
  path: "/s7",
  faults: "s7_connection",
  source: "template",
  unitsHint: t("fieldUnit.unitsHint"),
  forbidden: codeText("s7.all_devices_needed"),
  Settings,
  Form: S7Form,
  Unit,
  Browser: AddressReader,
});

/** An S7 connection, or one of its units. */
export const S7Pages = (props: { connectionId: string; unitId: string | undefined }) => (
  <EntryPages view={view()} unitView={unitView()} {...props} />
);
