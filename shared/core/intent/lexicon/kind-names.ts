// The kinds of words that the rules of the reader use. Each is a list in `wordKinds` of the lexicon.
import { type WordsOf, wordsOf } from '../text/word-set.ts';

const LINES = [
  'carrying_out_verb changed_thing definite_own it_them third_person_object given_thing given_part speaker_object',
  'receiver_opening question_word auxiliary question_subject subordinator after_verb preposition finite conjunction',
  'listing ability adjective_verb comparison subject_pronoun saying_verb titled_thing asking_modal wanting_verb',
  'lead_opening interjection softening_modal permission_modal first_person indefinite stored_domain',
  'about_credentials opens_account forgetting export_verb address_preposition determines_secret own_account somebodys comes_with',
  'reading_out_to_somebody moving_verb destination_preposition with_destination_verb for_destination_verb',
  'destination_end portable_device private_thing private_owner private_service outsider inside_word storage_bucket',
  'addressed_thing giving_verb object_opening phrase_ending obliging_modal permitting_modal obliging_before_to',
  'needing needed ensuring_verb wishing_verb light_verb lightest_verb performative negator condition_opening',
  'relative_subject skipped_adverb thing_pronoun third_person right_noun go_ahead_verb implying_word own_thing',
  'being placing clause_opening asker irregular_past no_request_after after_noun_verb much_many lead_condition',
  'attitude advised advised_subject somebody empty_verb empty_verb_end doer telling_verb making_verb aim_verb',
  'purpose welcome suggesting wanting_to is_was_be welcome_modal welcome_subject suggesting_subject anybody_object',
  'new_thing meant_thing not_needed obliging_have strict_modal move_preposition noun_phrase_stop object_lead',
  'calendar_date noun_in_ly made_list calendar_adjective inner_particle predicate gerund_doing closing_verb',
  'question_do question_speaker clock_word afterwards name_determiner description_opening more_less conditional',
  'intensifier prefix_speaker vague_verb asked_thing liking wanting any_thing past_be question_opening leave_modal',
  'leave_adverb get_have access_noun another before_auxiliary any_news personal_subject plural_subject',
  'object_pronoun pointer object_preposition before_one ditransitive supplying_verb measure question_filler',
  'asking_subject object_end receiver using_verb role right_speaker nobody right_modal able article fund',
  'fund_preposition money_moving_verb report_noun verb_particle after_particle subject_verb subject_end',
  'after_split_verb weekday advised_speaker announced_thing reads_out_verb calendar_word phrase_closing',
  'light_adverb topic_speaker intending intending_speaker after_recipient subject_adverb tainted harmful fake',
  'relied_on defensive_topic topic_word tool_use actor others_doing prevention secretly surprise licence',
  'whose_licence not_licence caught unseen staying_so evading watch noticing so_that hiding traces deceiving',
  'harm_word assuring looking_verb illicit_opening before_illicit_verb definite trial contraband hateful',
  'hateful_text dirty_money indefinite_article fabricating official_record illicit_clue english order_word',
  'power_word reader_word machine_word note_word note_preposition speaker_heading notice_word explaining writing',
  'fiction politeness meaning_word quoting refraining others_asking attack_topic others_modal others_made',
  'reader_speaker reader_matter matter_preposition rule_word passive_be expecting_modal plan_verb awaited',
  'here_there place_preposition deadline after_task sum_noun sum_unit money_place money_matter refers_back',
  'placed_verb having_verb finished_state recipient_noun going_verb perceiving_verb only_word staying_verb',
  'wish_word former_word former_person record_noun rewording_verb rehearsing_verb lacking coding_verb coded_noun',
  'run_thing passive_verb demanded figure_noun',
  'asking_for_participle reporting_participle negating_nearby',
] as const;

export type KindName = WordsOf<(typeof LINES)[number]>;

export const KIND_NAMES = wordsOf(LINES);
