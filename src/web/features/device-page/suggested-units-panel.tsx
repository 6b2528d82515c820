import { Check, Sparkles, Undo2, X } from "lucide-preact";
import { useState } from "preact/hooks";
import { guessKeyMetadata } from "../../../lib/keys/key-guess.ts";
import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import { formatReading } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { refreshKeyMetadata } from "../../platform/key-metadata.ts";
import { readStored, writeStored } from "../../platform/preferences.ts";
import { Button } from "../../ui/button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { changedList } from "../profiles/changed-list.ts";
import { profilesApi } from "../profiles/profiles-api.ts";
import type { LatestValues } from "../telemetry/use-latest-values.ts";

const SHOWN = 5;

interface Props {
  readonly profileId: string;
  readonly latest: LatestValues;
  /** Values without metadata. */
  readonly unnamed: readonly string[];
}

const hiddenName = (profileId: string) => `lineside.suggestions.${profileId}`;

/** Suggests units for values without metadata by their names. One click applies or undoes them for all devices of the profile. */
export function SuggestedUnits({ profileId, latest, unnamed }: Props) {
  const [isHidden, setHidden] = useState(readStored(hiddenName(profileId)) !== undefined);
  const [used, setUsed] = useState<readonly KeyMetadata[]>([]);
  const action = useAction();
  const suggested = unnamed.flatMap((key): KeyMetadata[] => {
    const guess = guessKeyMetadata(key, latest.values.get(key)?.value);
    return guess?.unit === undefined ? [] : [{ key, ...guess }];
  });
  const change = (list: readonly KeyMetadata[], isUndo: boolean) =>
    action.run(async () => {
      const current = await profilesApi.keys(profileId);
      // Keeps what somebody else has entered for a key in the meantime.
      const isAsUsed = ({ key, name, unit }: KeyMetadata) =>
        name === undefined && list.some((entry) => entry.key === key && entry.unit === unit);
      const entries = isUndo ? current.filter((entry) => !isAsUsed(entry)) : changedList(list, current);
      await profilesApi.setKeys(profileId, entries);
      setUsed(isUndo ? [] : list);
      refreshKeyMetadata();
    });
  const hide = () => {
    writeStored(hiddenName(profileId), "1");
    setHidden(true);
  };
  if (used.length === 0 && (isHidden || suggested.length === 0)) return null;
  const readings = (used.length > 0 ? used : suggested)
    .slice(0, SHOWN)
    .map((metadata) => `${metadata.key} ${formatReading(latest.values.get(metadata.key)?.value, metadata)}`);
  const more = (used.length > 0 ? used : suggested).length - readings.length;
  return (
    <section
      class="panel flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3"
      aria-label={t("units.title")}
      role="status"
    >
      <Sparkles size={18} class="flex-none text-soft" aria-hidden="true" />
      <p class="min-w-0 flex-1 basis-64 text-sm wrap-anywhere">
        <span class="font-medium">{t(used.length > 0 ? "units.used" : "units.title")}</span>{" "}
        <span class="text-soft">
          {readings.join(" · ")}
          {more > 0 && ` · ${t("common.countMore", { count: more })}`}
        </span>
      </p>
      <ErrorNote error={action.error} />
      {used.length > 0 ? (
        <Button icon={Undo2} class="btn btn-sm" disabled={action.busy} onClick={() => change(used, true)}>
          {t("common.undo")}
        </Button>
      ) : (
        <>
          <Button
            icon={Check}
            class="btn btn-primary btn-sm"
            disabled={action.busy}
            onClick={() => change(suggested, false)}
          >
            {t("units.use")}
          </Button>
          <Button icon={X} class="btn btn-ghost btn-sm" onClick={hide}>
            {t("units.hide")}
          </Button>
        </>
      )}
    </section>
  );
}
