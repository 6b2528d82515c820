import { Pencil, Plus, Sparkles } from "lucide-preact";
import { useState } from "preact/hooks";
import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import { formatReading } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { may } from "../../platform/session.ts";
import { Button } from "../../ui/button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { DeleteButton } from "../../ui/page/row-buttons.tsx";
import { KeyEditor } from "./key-editor.tsx";
import { fromKeyForm, type KeyForm, metadataText, toKeyForm } from "./key-form.ts";
import type { SentKey } from "./profiles-api.ts";

interface Props {
  readonly entries: readonly KeyMetadata[];
  /** Metadata of the site, for keys without an entry. */
  readonly defaults: readonly KeyMetadata[];
  readonly sent: readonly SentKey[];
  readonly emptyHint: string;
  /** Saves entries, and removes those of removed keys. */
  readonly onChange: (changed: readonly KeyMetadata[], removed?: string) => Promise<void>;
}

interface Row {
  readonly key: string;
  readonly own: KeyMetadata | undefined;
  readonly site: KeyMetadata | undefined;
  readonly sent: SentKey | undefined;
}

function rowsOf({ entries, defaults, sent }: Props): Row[] {
  const byKey = <Item extends { readonly key: string }>(items: readonly Item[]) =>
    new Map(items.map((item) => [item.key, item]));
  const [own, site, sending] = [byKey(entries), byKey(defaults), byKey(sent)];
  return [...new Set([...own.keys(), ...sending.keys()])].sort().map((key) => ({
    key,
    own: own.get(key),
    site: site.get(key),
    sent: sending.get(key),
  }));
}

/** Returns the suggestion for a key without metadata. */
const suggestionOf = ({ key, own, site, sent }: Row): KeyMetadata | undefined =>
  own === undefined && site === undefined && sent?.suggestion !== undefined
    ? { key, ...sent.suggestion }
    : undefined;

interface Open {
  readonly form: KeyForm;
  readonly isNew: boolean;
}

const NEW: Open = { form: toKeyForm({ key: "" }), isNew: true };

/** Keys with their metadata, and suggestions for others. */
export function KeyList(props: Props) {
  const { onChange } = props;
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const action = useAction();
  const canEdit = may("profiles:write");
  const rows = rowsOf(props);
  const suggestions = rows.flatMap((row) => suggestionOf(row) ?? []);
  const sampleOf = (key: string) => rows.find((row) => row.key === key)?.sent?.sample;
  const save = async (form: KeyForm) => {
    await onChange([fromKeyForm(form, sampleOf(form.key))]);
    setOpen(undefined);
  };
  const editor = open && (
    <KeyEditor
      {...open}
      entries={props.entries}
      offered={rows.filter(({ own }) => own === undefined).map(({ key }) => key)}
      sampleOf={sampleOf}
      onSave={save}
      onCancel={() => setOpen(undefined)}
    />
  );
  const add = canEdit && open === undefined && (
    <Button icon={Plus} onClick={() => setOpen(NEW)}>
      {t("common.addKey")}
    </Button>
  );
  return (
    <div class="flex flex-col gap-4">
      <ErrorNote error={action.error} />
      <div class="flex flex-wrap items-center gap-2">
        {canEdit && (
          <UseAll
            count={suggestions.length}
            busy={action.busy}
            onUse={() => action.run(() => onChange(suggestions))}
          />
        )}
        {rows.length > 0 && add}
      </div>
      {open?.isNew && <div class="panel p-4">{editor}</div>}
      {rows.length === 0 && open === undefined && (
        <EmptyPanel icon={Sparkles} title={t("meta.none")} hint={props.emptyHint}>
          {add}
        </EmptyPanel>
      )}
      {rows.length > 0 && (
        <ul class="panel divide-y divide-base-300/60" aria-label={t("meta.tab")}>
          {rows.map((row) =>
            open?.isNew === false && open.form.key === row.key ? (
              <li key={row.key} class="flex flex-col gap-4 p-4">
                <h3 class="font-semibold wrap-anywhere">{row.key}</h3>
                {editor}
              </li>
            ) : (
              <KeyRow
                key={row.key}
                row={row}
                canEdit={canEdit && open === undefined && !action.busy}
                onUse={(metadata) => action.run(() => onChange([metadata]))}
                onEdit={(metadata) => setOpen({ form: toKeyForm(metadata), isNew: false })}
                onDelete={() => action.run(() => onChange([], row.key))}
              />
            ),
          )}
        </ul>
      )}
    </div>
  );
}

function UseAll({ count, busy, onUse }: { count: number; busy: boolean; onUse: () => void }) {
  if (count === 0) return null;
  return (
    <Button icon={Sparkles} class="btn btn-primary btn-sm" disabled={busy} onClick={onUse}>
      {plural("meta.useAll", count)}
    </Button>
  );
}

function KeyRow(props: {
  row: Row;
  canEdit: boolean;
  onUse: (metadata: KeyMetadata) => void;
  onEdit: (metadata: KeyMetadata) => void;
  onDelete: () => void;
}) {
  const { row, canEdit } = props;
  const { key, own, site, sent } = row;
  const suggestion = suggestionOf(row);
  const current = own ?? site;
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-1 px-4 py-3" data-testid="key-row">
      <div class="min-w-0 flex-[2_1_14rem]">
        <p class="font-medium wrap-anywhere">
          {current?.name ?? key}
          {current?.name !== undefined && <span class="reading ml-2 text-sm text-soft">{key}</span>}
        </p>
        <p class="text-sm text-soft wrap-anywhere">
          {own
            ? metadataText(own)
            : site
              ? t("meta.fromSite", { text: metadataText(site) })
              : suggestion
                ? t("meta.suggestion", { text: metadataText(suggestion) })
                : t("meta.nothing")}
        </p>
      </div>
      {sent !== undefined && sent.sample !== null && (
        <span class="reading max-w-48 flex-none truncate">{formatReading(sent.sample, current)}</span>
      )}
      {canEdit && (
        <div class="ml-auto flex flex-none items-center gap-1">
          {suggestion && (
            <button
              type="button"
              class="btn btn-sm"
              aria-label={t("meta.useOf", { key })}
              onClick={() => props.onUse(suggestion)}
            >
              {t("meta.use")}
            </button>
          )}
          <IconButton
            icon={Pencil}
            label={t("common.editKey", { key })}
            onClick={() => props.onEdit(own ?? suggestion ?? site ?? { key })}
          />
          {own && <DeleteButton label={t("meta.deleteOf", { key })} onClick={props.onDelete} />}
        </div>
      )}
    </li>
  );
}
