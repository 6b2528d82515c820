import { and, eq } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { unfinishedImports } from "./unfinished-imports.tables.ts";

/** Devices created in a transaction of an import. */
export interface ImportPiece {
  readonly importId: string;
  readonly piece: number;
  readonly deviceIds: readonly DeviceId[];
}

export function createUnfinishedImportsRepository({ orm }: MainDatabase) {
  return {
    list: (): ImportPiece[] =>
      orm
        .select()
        .from(unfinishedImports)
        .all()
        .map((row) => ({ ...row, deviceIds: row.deviceIds as DeviceId[] })), // minted by us
    add: (piece: ImportPiece): void => void orm.insert(unfinishedImports).values(piece).run(),
    deletePiece: ({ importId, piece }: Pick<ImportPiece, "importId" | "piece">): void =>
      void orm
        .delete(unfinishedImports)
        .where(and(eq(unfinishedImports.importId, importId), eq(unfinishedImports.piece, piece)))
        .run(),
    finish: (importId: string): void =>
      void orm.delete(unfinishedImports).where(eq(unfinishedImports.importId, importId)).run(),
  };
}

export type UnfinishedImportsRepository = ReturnType<typeof createUnfinishedImportsRepository>;
