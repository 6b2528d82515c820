import { FlaskConical, Plus, Search } from "lucide-preact";
import { useState } from "preact/hooks";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { usePages } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { SearchBox } from "../../ui/form/search-box.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { codecIndexApi, createFrom, type EntryTest, type ListedEntry, nameOf } from "./codec-index-api.ts";
import type { Codec } from "./codecs-api.ts";
import { Json, Notes } from "./script-notes.tsx";

const ROWS = 10;

/** Searches the loaded collection; a row creates a codec of the tenant with one click. */
export function CodecIndexSearch({ onCreated }: { onCreated: (codec: Codec) => void }) {
  const [search, setSearch] = useState("");
  const found = usePages((limit) => codecIndexApi.search(search, limit), [search], ROWS);
  return (
    <ResourceList
      title={t("codecIndex.results")}
      isWithin
      list={found}
      filters={
        <SearchBox label={t("codecIndex.search")} value={search} class="sm:w-96" onSearch={setSearch} />
      }
      icon={Search}
      none={[t("codecIndex.none"), ""]}
    >
      {(entry) => <EntryRow key={entry.entryId} entry={entry} onCreated={onCreated} />}
    </ResourceList>
  );
}

function EntryRow({ entry, onCreated }: { entry: ListedEntry; onCreated: (codec: Codec) => void }) {
  const { vendor, model, firmware, description, file, license, exampleCount } = entry;
  const action = useAction();
  const [result, setResult] = useState<EntryTest>();
  const create = () =>
    action.run(async () => {
      const codec = await createFrom(entry);
      toast("success", t("codecIndex.created", { name: codec.name }));
      onCreated(codec);
    });
  return (
    <li class="flex flex-col gap-2 px-4 py-3">
      <div class="flex flex-wrap items-center gap-x-6 gap-y-2">
        <div class="min-w-0 flex-[1_1_16rem]">
          <p class="wrap-anywhere">
            {vendor} <b class="font-medium">{model}</b>
            {firmware !== "" && <span class="text-soft"> · {t("codecIndex.firmware", { firmware })}</span>}
          </p>
          {description !== "" && <p class="line-clamp-2 text-sm text-soft wrap-anywhere">{description}</p>}
          <p class="text-sm text-soft wrap-anywhere">{[file, license].filter(Boolean).join(" · ")}</p>
        </div>
        {may("integrations:write") && (
          <div class="flex flex-wrap gap-2">
            {exampleCount > 0 && (
              <Button
                icon={FlaskConical}
                disabled={action.busy}
                onClick={() => action.run(async () => setResult(await codecIndexApi.test(entry.entryId)))}
              >
                {plural("codecIndex.test", exampleCount)}
              </Button>
            )}
            <Button
              icon={Plus}
              disabled={action.busy}
              aria-label={t("codecIndex.create", { name: nameOf(entry) })}
              onClick={create}
            >
              {t("codecs.create")}
            </Button>
          </div>
        )}
      </div>
      <ErrorNote error={action.error} />
      {result && <Outcome result={result} />}
    </li>
  );
}

function Outcome({ result: { passed, total, results } }: { result: EntryTest }) {
  const failed = results.filter(({ isPassed }) => !isPassed);
  return (
    <div class="flex flex-col gap-2" role="status">
      <p>{t("codecIndex.passed", { passed, total })}</p>
      {failed.map(({ example, trial }, index) => (
        <div key={index} class="flex flex-col gap-1">
          <Notes title={t("script.warnings")} notes={[example.description || (example.frame ?? "")]} />
          <Json
            value={{
              expected: example.direction === "uplink" ? example.expected.data : example.expected.frame,
              result: trial.error?.message ?? trial.bytes?.hex ?? trial.result,
            }}
          />
        </div>
      ))}
    </div>
  );
}
