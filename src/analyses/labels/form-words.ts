/** English words of the form of a question. They occur in all subjects and are evidence for none. */
export const FORM_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those it its one ones other same each both all any some most more only first last
  is are was were be been being am do does did has have had will would can could shall should may might
  i me my you your he she his her him they them their we our us who whom whose which what whats when where why how
  of in on at for from by into with within to as than then so such and or if not no also just about
  after before during between according following many much please there here
  called known named name mean means stand stands comes come used year years true false correct`
    .trim()
    .split(/\s+/),
);
