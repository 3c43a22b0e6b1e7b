/** The origin of a revision: the client and key that made it, and the bulk change it belongs to. */

/** The client of a request, and the id of its key; null for a session. */
export interface ChangedBy {
  client: string;
  key: string | null;
}

/** What a command that writes revisions knows of its origin. */
export interface ChangeOrigin {
  by?: ChangedBy | undefined;
  /** The id of the bulk change. */
  change_id?: string | undefined;
}

interface OriginColumns {
  changed_by: string | null;
  changed_key: string | null;
  change_id: string | null;
}

export const toOriginColumns = ({ by, change_id }: ChangeOrigin): OriginColumns => ({
  changed_by: by?.client ?? null,
  changed_key: by?.key ?? null,
  change_id: change_id ?? null,
});

/** The JSON members of a revision that show its origin. Revisions of earlier releases have none. */
export const renderOrigin = ({ changed_by, changed_key, change_id }: OriginColumns): string => {
  const by = changed_by === null ? null : { client: changed_by, key: changed_key };
  return `"by":${JSON.stringify(by)},"change_id":${JSON.stringify(change_id)}`;
};
