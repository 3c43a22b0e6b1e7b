// Generated from the OpenAPI document by `npm run client:types`.
import type { Analysis, AnalysisList, AnalysisRequest, AnalysisTypes, AttentionList, BulkPreview, BulkRequest, Category, CategoryChange, CategoryInput, CategoryList, CategoryMergeRequest, Change, ChangeList, CheckRequest, CheckResult, CheckedQuestion, CheckedQuestionWithoutAnswers, Client, ClientChange, ClientInput, ClientList, ClientWithSecret, Comment, CommentChange, CommentInput, CommentList, CurrentClient, DifficultyList, Dismissal, DismissalInput, DismissalList, Draw, DrawInput, DrawList, DrawResponses, DrawScore, DrawToken, DrawTokenInput, ExportReport, FigureData, Health, Import, ImportList, IntrospectRequest, Introspection, KeyInput, KeyList, KeyWithToken, MergeRequest, PendingList, PendingQuestion, Question, QuestionChange, QuestionFacets, QuestionFindings, QuestionList, QuestionWithoutAnswers, QuestionsCreated, QuestionsInput, QuestionsValid, Ready, Report, ReportAccepted, ReportInput, ReportList, ReportResolution, RespondentDeleted, RespondentList, Response, ResponseAccepted, ResponseImport, ResponseImportList, ResponseInput, ResponseList, ResponsesRecorded, RestoreRequest, ReviewInput, ReviewList, ReviewResult, RevisionList, RevokeRequest, Session, SessionRequest, SignInLink, StatusChange, TokenRequest, TokenResponse } from './api-schemas.ts';

export interface Operations {
  /** Liveness */
  'GET /health': { in: object; out: Health };
  /** Readiness */
  'GET /ready': { in: object; out: Ready };
  /** Prometheus metrics */
  'GET /metrics': { in: object; out: string };
  /** List questions */
  'GET /questions': { in: { query?: { category?: (string)[]; not_category?: (string)[]; difficulty?: (number)[]; not_difficulty?: (number)[]; topic_focus?: (string)[]; not_topic_focus?: (string)[]; tag?: (string)[]; not_tag?: (string)[]; kind?: ("multiple_choice" | "multiple_response" | "short_answer" | "numeric")[]; not_kind?: ("multiple_choice" | "multiple_response" | "short_answer" | "numeric")[]; source?: (string)[]; not_source?: (string)[]; status?: ("draft" | "in_review" | "approved" | "retired")[]; not_status?: ("draft" | "in_review" | "approved" | "retired")[]; missing?: ("explanation" | "topic_focus" | "tags" | "options" | "source")[]; finding?: (string)[]; q?: string; external_id?: string; updated_since?: string; deleted?: boolean; include_deleted?: boolean; sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "deleted_at" | "-deleted_at" | "relevance" | "random"; seed?: string; limit?: number; offset?: number; cursor?: string } }; out: QuestionList };
  /** Create questions */
  'POST /questions': { in: { query?: { mode?: "all_or_none" | "skip_bad"; on_match?: "refuse" | "update"; validate_only?: boolean; check_duplicates?: boolean }; body: QuestionsInput }; out: QuestionsValid | CheckedQuestion | CheckedQuestionWithoutAnswers | QuestionsCreated | Question | QuestionWithoutAnswers | CheckedQuestion | CheckedQuestionWithoutAnswers | QuestionsCreated };
  /** Get a question */
  'GET /questions/{id}': { in: { path: { id: string } }; out: Question | QuestionWithoutAnswers };
  /** Update a question */
  'PUT /questions/{id}': { in: { path: { id: string }; body: QuestionChange }; out: Question | PendingQuestion };
  /** Patch a question */
  'PATCH /questions/{id}': { in: { path: { id: string }; body: QuestionChange }; out: Question | PendingQuestion };
  /** Delete a question */
  'DELETE /questions/{id}': { in: { path: { id: string } }; out: undefined };
  /** List revisions */
  'GET /questions/{id}/revisions': { in: { path: { id: string }; query?: { limit?: number; offset?: number } }; out: RevisionList };
  /** Restore a revision */
  'POST /questions/{id}/restore': { in: { path: { id: string }; body: RestoreRequest }; out: Question | PendingQuestion };
  /** Check an answer */
  'POST /questions/{id}/check': { in: { path: { id: string }; body: CheckRequest }; out: CheckResult };
  /** Count questions by facet */
  'GET /questions/facets': { in: { query?: { category?: (string)[]; not_category?: (string)[]; difficulty?: (number)[]; not_difficulty?: (number)[]; topic_focus?: (string)[]; not_topic_focus?: (string)[]; tag?: (string)[]; not_tag?: (string)[]; kind?: ("multiple_choice" | "multiple_response" | "short_answer" | "numeric")[]; not_kind?: ("multiple_choice" | "multiple_response" | "short_answer" | "numeric")[]; source?: (string)[]; not_source?: (string)[]; status?: ("draft" | "in_review" | "approved" | "retired")[]; not_status?: ("draft" | "in_review" | "approved" | "retired")[]; missing?: ("explanation" | "topic_focus" | "tags" | "options" | "source")[]; finding?: (string)[]; q?: string; external_id?: string; updated_since?: string; deleted?: boolean; limit?: number } }; out: QuestionFacets };
  /** Export questions */
  'GET /questions/export': { in: { query?: { category?: (string)[]; not_category?: (string)[]; difficulty?: (number)[]; not_difficulty?: (number)[]; topic_focus?: (string)[]; not_topic_focus?: (string)[]; tag?: (string)[]; not_tag?: (string)[]; kind?: ("multiple_choice" | "multiple_response" | "short_answer" | "numeric")[]; not_kind?: ("multiple_choice" | "multiple_response" | "short_answer" | "numeric")[]; source?: (string)[]; not_source?: (string)[]; status?: ("draft" | "in_review" | "approved" | "retired")[]; not_status?: ("draft" | "in_review" | "approved" | "retired")[]; missing?: ("explanation" | "topic_focus" | "tags" | "options" | "source")[]; finding?: (string)[]; q?: string; external_id?: string; updated_since?: string; format?: "jsonl" | "json" | "csv" | "tsv" | "xlsx" | "gift" | "aiken" | "moodle-xml" | "qti-2.1" | "qti-2.2" | "qti-3.0" | "anki" | "apkg" | "opentdb"; sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at"; dry_run?: boolean } }; out: ExportReport | ({ [name: string]: unknown })[] | { response_code: number; results: ({ [name: string]: unknown })[] } };
  /** List categories */
  'GET /categories': { in: object; out: CategoryList };
  /** Create a category */
  'POST /categories': { in: { body: CategoryInput }; out: Category };
  /** Get a category */
  'GET /categories/{id}': { in: { path: { id: string } }; out: Category };
  /** Update a category */
  'PUT /categories/{id}': { in: { path: { id: string }; body: CategoryChange }; out: Category };
  /** Patch a category */
  'PATCH /categories/{id}': { in: { path: { id: string }; body: CategoryChange }; out: Category };
  /** Delete a category */
  'DELETE /categories/{id}': { in: { path: { id: string } }; out: undefined };
  /** List difficulties */
  'GET /difficulties': { in: object; out: DifficultyList };
  /** Report a question */
  'POST /questions/{id}/reports': { in: { path: { id: string }; body: ReportInput }; out: ReportAccepted };
  /** List reports of a question */
  'GET /questions/{id}/reports': { in: { path: { id: string }; query?: { status?: "open" | "resolved"; reason?: "wrong_answer" | "several_right" | "unclear" | "outdated" | "offensive" | "technical" | "other"; limit?: number; offset?: number } }; out: ReportList };
  /** List reports */
  'GET /reports': { in: { query?: { status?: "open" | "resolved"; reason?: "wrong_answer" | "several_right" | "unclear" | "outdated" | "offensive" | "technical" | "other"; limit?: number; offset?: number; question_id?: string } }; out: ReportList };
  /** Resolve a report */
  'POST /reports/{id}/resolve': { in: { path: { id: string }; body: ReportResolution }; out: Report };
  /** Change the status */
  'POST /questions/{id}/status': { in: { path: { id: string }; body: StatusChange }; out: Question };
  /** Review a question */
  'POST /questions/{id}/reviews': { in: { path: { id: string }; body: ReviewInput }; out: ReviewResult };
  /** List reviews */
  'GET /questions/{id}/reviews': { in: { path: { id: string }; query?: { limit?: number; offset?: number } }; out: ReviewList };
  /** List pending changes */
  'GET /pending': { in: { query?: { limit?: number; offset?: number } }; out: PendingList };
  /** Get a pending change */
  'GET /questions/{id}/pending': { in: { path: { id: string } }; out: PendingQuestion };
  /** Propose a change */
  'POST /questions/{id}/pending': { in: { path: { id: string }; body: QuestionChange }; out: Question | PendingQuestion };
  /** Withdraw a pending change */
  'DELETE /questions/{id}/pending': { in: { path: { id: string } }; out: undefined };
  /** List comments */
  'GET /questions/{id}/comments': { in: { path: { id: string }; query?: { resolved?: boolean; limit?: number; offset?: number } }; out: CommentList };
  /** Comment on a question */
  'POST /questions/{id}/comments': { in: { path: { id: string }; body: CommentInput }; out: Comment };
  /** Change or resolve a comment */
  'PATCH /comments/{id}': { in: { path: { id: string }; body: CommentChange }; out: Comment };
  /** Delete a comment */
  'DELETE /comments/{id}': { in: { path: { id: string } }; out: undefined };
  /** Record responses */
  'POST /responses': { in: { body: ResponseInput | (ResponseInput)[] }; out: Response | ResponseAccepted | Response | ResponseAccepted | ResponsesRecorded };
  /** List responses */
  'GET /responses': { in: { query?: { question_id?: string; respondent?: string; session?: string; group?: string; limit?: number; offset?: number; cursor?: string } }; out: ResponseList };
  /** Delete a respondent */
  'DELETE /responses': { in: { query: { respondent: string } }; out: RespondentDeleted };
  /** Draw questions */
  'POST /draws': { in: { body: DrawInput }; out: Draw };
  /** List draws */
  'GET /draws': { in: { query?: { respondent?: string; limit?: number; offset?: number } }; out: DrawList };
  /** Get a draw */
  'GET /draws/{id}': { in: { path: { id: string } }; out: Draw };
  /** Record and score a draw */
  'POST /draws/{id}/responses': { in: { path: { id: string }; body: DrawResponses }; out: DrawScore };
  /** Create a token for a draw */
  'POST /draws/{id}/tokens': { in: { path: { id: string }; body: DrawTokenInput }; out: DrawToken };
  /** Revoke the tokens for a draw */
  'DELETE /draws/{id}/tokens': { in: { path: { id: string } }; out: undefined };
  /** List analyses */
  'GET /analysis': { in: { query?: { analysis_type?: "coverage" | "duplicates" | "readability" | "quality" | "labels" | "item_statistics" | "reliability" | "irt" | "difficulty_audit" | "dif"; status?: "queued" | "running" | "succeeded" | "failed" | "cancelled"; question_id?: string; limit?: number; offset?: number } }; out: AnalysisList };
  /** Run an analysis */
  'POST /analysis/run': { in: { body: AnalysisRequest }; out: Analysis };
  /** List analysis types */
  'GET /analysis/types': { in: object; out: AnalysisTypes };
  /** Get an analysis */
  'GET /analysis/{id}': { in: { path: { id: string }; query?: { flag?: (string)[]; rule?: (string)[]; severity?: (string)[]; verdict?: (string)[]; category?: (string)[]; sort?: string; limit?: number; offset?: number } }; out: Analysis };
  /** Cancel or delete an analysis */
  'DELETE /analysis/{id}': { in: { path: { id: string } }; out: undefined };
  /** Plot a result */
  'GET /analysis/{id}/plot.svg': { in: { path: { id: string }; query?: { figure?: "wright_map"; question_id?: string } }; out: string };
  /** Get the data of a figure */
  'GET /analysis/{id}/plot.json': { in: { path: { id: string }; query?: { figure?: "wright_map"; question_id?: string } }; out: FigureData };
  /** List abilities of respondents */
  'GET /analysis/{id}/respondents': { in: { path: { id: string }; query?: { limit?: number; offset?: number } }; out: RespondentList };
  /** List findings of a question */
  'GET /questions/{id}/findings': { in: { path: { id: string }; query?: { dismissed?: boolean } }; out: QuestionFindings };
  /** Dismiss a finding */
  'POST /questions/{id}/findings/dismissals': { in: { path: { id: string }; body: DismissalInput }; out: Dismissal };
  /** Withdraw a dismissal */
  'DELETE /questions/{id}/findings/dismissals': { in: { path: { id: string }; query: { analysis_type: "coverage" | "duplicates" | "readability" | "quality" | "labels" | "item_statistics" | "reliability" | "irt" | "difficulty_audit" | "dif"; name: string } }; out: undefined };
  /** List dismissals */
  'GET /dismissals': { in: { query?: { question_id?: string; active?: boolean; limit?: number; offset?: number } }; out: DismissalList };
  /** List what needs attention */
  'GET /attention': { in: { query?: { reason?: ("wrong_key" | "reported" | "conflict" | "major_flaw" | "mislabelled" | "empty_cell")[]; limit?: number; offset?: number } }; out: AttentionList };
  /** Change many questions */
  'POST /questions/bulk': { in: { body: BulkRequest }; out: BulkPreview | Change };
  /** Merge questions */
  'POST /questions/{id}/merge': { in: { path: { id: string }; body: MergeRequest }; out: Change };
  /** Merge categories */
  'POST /categories/{id}/merge': { in: { path: { id: string }; body: CategoryMergeRequest }; out: Change };
  /** List bulk changes */
  'GET /changes': { in: { query?: { status?: "queued" | "running" | "succeeded" | "failed" | "cancelled"; limit?: number; offset?: number } }; out: ChangeList };
  /** Get a bulk change */
  'GET /changes/{id}': { in: { path: { id: string } }; out: Change };
  /** Cancel a bulk change */
  'POST /changes/{id}/cancel': { in: { path: { id: string } }; out: Change };
  /** Undo a bulk change */
  'POST /changes/{id}/undo': { in: { path: { id: string } }; out: Change };
  /** Stream events */
  'GET /events': { in: object; out: string };
  /** Import a file of responses */
  'POST /responses/import': { in: { query?: { format?: "responses-wide" | "responses-long" | "responses-matrix" | "responses-fixed-width" | "responses-moodle" | "responses-canvas"; file_name?: string; dry_run?: boolean; mode?: "skip_bad" | "all_or_nothing"; session?: string; group?: string; values?: "scores" | "answers"; layout?: string; delimiter?: "," | ";" | "\t" | "|"; encoding?: string; questions?: string; columns?: string; missing?: string }; file: Blob | string }; out: ResponseImport };
  /** List imports of responses */
  'GET /responses/imports': { in: { query?: { status?: "queued" | "running" | "succeeded" | "failed" | "cancelled"; limit?: number; offset?: number } }; out: ResponseImportList };
  /** Get an import of responses */
  'GET /responses/imports/{id}': { in: { path: { id: string } }; out: ResponseImport };
  /** Import a file of questions */
  'POST /imports': { in: { query?: { format?: "jsonl" | "json" | "csv" | "tsv" | "xlsx" | "gift" | "aiken" | "moodle-xml" | "qti-2.1" | "qti-2.2" | "qti-3.0" | "anki" | "apkg" | "opentdb" | "qti-1.2"; file_name?: string; dry_run?: boolean; mode?: "skip_bad" | "all_or_nothing"; on_match?: "skip" | "update" | "error"; create_categories?: boolean; category?: string; difficulty?: number; encoding?: string; media?: "reject" | "drop"; html_to?: "text" | "markdown"; lenient?: boolean; category_map?: string }; file: Blob | string }; out: Import };
  /** List imports */
  'GET /imports': { in: { query?: { status?: "queued" | "running" | "succeeded" | "failed" | "cancelled"; limit?: number; offset?: number } }; out: ImportList };
  /** Get an import */
  'GET /imports/{id}': { in: { path: { id: string } }; out: Import };
  /** Get rejected items */
  'GET /imports/{id}/rejects': { in: { path: { id: string } }; out: ExportReport | ({ [name: string]: unknown })[] | { response_code: number; results: ({ [name: string]: unknown })[] } };
  /** Create or refresh a token */
  'POST /auth/token': { in: { body: TokenRequest }; out: TokenResponse };
  /** Revoke a token */
  'POST /auth/revoke': { in: { body: RevokeRequest }; out: object };
  /** Introspect a token */
  'POST /auth/introspect': { in: { body: IntrospectRequest }; out: Introspection };
  /** Get the current client */
  'GET /auth/me': { in: object; out: CurrentClient };
  /** List clients */
  'GET /auth/clients': { in: { query?: { limit?: number; offset?: number } }; out: ClientList };
  /** Create a client */
  'POST /auth/clients': { in: { body: ClientInput }; out: ClientWithSecret };
  /** Get a client */
  'GET /auth/clients/{id}': { in: { path: { id: string } }; out: Client };
  /** Update a client */
  'PUT /auth/clients/{id}': { in: { path: { id: string }; body: ClientChange }; out: Client };
  /** Patch a client */
  'PATCH /auth/clients/{id}': { in: { path: { id: string }; body: ClientChange }; out: Client };
  /** Delete a client */
  'DELETE /auth/clients/{id}': { in: { path: { id: string } }; out: undefined };
  /** Rotate a client secret */
  'POST /auth/clients/{id}/secret': { in: { path: { id: string } }; out: ClientWithSecret };
  /** List keys */
  'GET /auth/tokens': { in: { query?: { client_id?: string; limit?: number; offset?: number } }; out: KeyList };
  /** Create a key */
  'POST /auth/tokens': { in: { body: KeyInput }; out: KeyWithToken };
  /** Revoke a key */
  'DELETE /auth/tokens/{id}': { in: { path: { id: string } }; out: undefined };
  /** Sign in to the console */
  'POST /session': { in: { body: SessionRequest }; out: Session };
  /** Get the session */
  'GET /session': { in: object; out: Session | { client: null } };
  /** Sign out */
  'DELETE /session': { in: object; out: undefined };
  /** Create a sign-in link */
  'POST /auth/clients/{id}/link': { in: { path: { id: string } }; out: SignInLink };
  /** OpenAPI document */
  'GET /openapi.json': { in: object; out: { openapi: string; info: { title: string; version: string }; paths: { [name: string]: unknown } } };
  /** Documentation page */
  'GET /docs': { in: object; out: string };
}

export type ProblemCode = 'already_answered' | 'already_current' | 'body_too_large' | 'category_deleted' | 'category_exists' | 'category_fixed' | 'category_in_use' | 'change_running' | 'count_mismatch' | 'cross_origin' | 'damaged_data' | 'damaged_database' | 'different_kind' | 'disk_full' | 'draw_conflict' | 'expectation_failed' | 'external_id_taken' | 'headers_too_large' | 'idempotency_in_flight' | 'idempotency_mismatch' | 'insufficient_scope' | 'insufficient_storage' | 'internal' | 'invalid_body' | 'invalid_credentials' | 'invalid_header' | 'invalid_link' | 'invalid_query' | 'key_cannot_create_keys' | 'last_admin' | 'malformed_json' | 'malformed_request' | 'malformed_text' | 'malformed_url' | 'merged' | 'method_not_allowed' | 'no_pending_change' | 'no_result' | 'no_such_analysis' | 'no_such_category' | 'no_such_change' | 'no_such_client' | 'no_such_comment' | 'no_such_draw' | 'no_such_figure' | 'no_such_import' | 'no_such_key' | 'no_such_question' | 'no_such_report' | 'no_such_revision' | 'no_such_route' | 'not_implemented' | 'not_in_review' | 'not_indexed' | 'not_undoable' | 'not_your_comment' | 'overloaded' | 'own_change' | 'pending_change' | 'precondition_failed' | 'queue_full' | 'quota_exceeded' | 'request_timeout' | 'revision_changed' | 'short_supply' | 'stale_review' | 'token_bound' | 'too_many_changes' | 'too_many_connections' | 'too_many_queued' | 'too_many_requests' | 'too_many_secret_attempts' | 'too_many_streams' | 'too_slow' | 'unauthorized' | 'unavailable' | 'unreadable_file' | 'unsupported_media_type' | 'url_too_long';
