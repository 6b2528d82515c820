import type { StepDefinition } from "./step.types.ts";
import { changeScope } from "./steps/change-scope.ts";
import { clampRange } from "./steps/clamp-range.ts";
import { coerceTypes } from "./steps/coerce-types.ts";
import { conditionalDrop } from "./steps/conditional-drop.ts";
import { copyKey } from "./steps/copy-key.ts";
import { deriveKey } from "./steps/derive-key.ts";
import { dropKeys } from "./steps/drop-keys.ts";
import { filterRange } from "./steps/filter-range.ts";
import { flattenObject } from "./steps/flatten-object.ts";
import { mapValues } from "./steps/map-values.ts";
import { pickKeys } from "./steps/pick-keys.ts";
import { removeEmpty } from "./steps/remove-empty.ts";
import { renameKeys } from "./steps/rename-keys.ts";
import { roundKeys } from "./steps/round-keys.ts";
import { scaleKeys } from "./steps/scale-keys.ts";
import { setDefault } from "./steps/set-default.ts";
import { stringTransform } from "./steps/string-transform.ts";
import { webhookForward } from "./steps/webhook-forward.ts";

/** All steps, in the order of the documentation. */
export const stepDefinitions: readonly StepDefinition[] = [
  renameKeys,
  changeScope,
  filterRange,
  pickKeys,
  dropKeys,
  scaleKeys,
  deriveKey,
  flattenObject,
  clampRange,
  setDefault,
  coerceTypes,
  copyKey,
  roundKeys,
  removeEmpty,
  mapValues,
  stringTransform,
  conditionalDrop,
  webhookForward,
];
