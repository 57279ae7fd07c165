import { findUpload } from "../../lib/admin/uploads/uploads.ts";
import type { Upload } from "../../lib/admin/uploads/uploads_sql.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import type { Services } from "../../lib/service/services.ts";
import { UUID } from "../../lib/text/values.ts";

/**
 * The upload of an address or a form.
 *
 * @throws {Problem} 404 if it has gone
 */
export async function requireUpload(
  id: string | null,
  { databaseForJobs: database, clock }: Services,
): Promise<Upload> {
  const upload = id !== null && UUID.test(id) ? await findUpload(database, id, clock()) : null;
  if (upload) return upload;
  throw new Problem(404, "This page has expired. Upload the file or add the source again.");
}
