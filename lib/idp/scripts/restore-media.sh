# shellcheck shell=sh disable=SC2154 # part of restore.sh, which sets what is read here
# Restores soft-deleted files of the media bucket; a file that exists again stays as it is, and one that cannot be restored
# does not stop the others.

google_pages storage "b/$MEDIA_BUCKET/o" items "softDeleted=true&maxResults=1000" "$GOOGLE_WORK/deleted" ||
  google_fail "The deleted files of $MEDIA_BUCKET cannot be listed." "To fix: the caller needs roles/storage.admin on the bucket."
# What @uri leaves as it is, in one release of jq or another, and what is no part of an address.
encoded='@uri | gsub("[.]"; "%2E") | gsub("~"; "%7E") | gsub("!"; "%21") | gsub("\u0027"; "%27") | gsub("[(]"; "%28") | gsub("[)]"; "%29") | gsub("[*]"; "%2A")'
# The newest version of each. Times have fractions of the second, and the second itself counts.
jq -rs --arg since "${SUBJECT%Z}" 'map(select(.softDeleteTime >= $since)) | group_by(.name)[]
  | max_by(.generation | tonumber)
  | [(.name | '"$encoded"'), .generation, (.name | gsub("[[:cntrl:]]"; " "))] | @tsv' \
  "$GOOGLE_WORK/deleted" >"$GOOGLE_WORK/newest"
total=$(($(wc -l <"$GOOGLE_WORK/newest")))
if [ "$total" -eq 0 ]; then
  google_say "The bucket $MEDIA_BUCKET has no deleted files${SUBJECT:+ since $SUBJECT}: nothing to restore."
  exit 0
fi
shown=$(sed -n '1,10p' "$GOOGLE_WORK/newest" | cut -f 3 | jq -Rrs 'rtrimstr("\n") | gsub("\n"; ", ")')
[ "$total" -le 10 ] || shown="$shown and $((total - 10)) more"
steps "Restore $total file(s) of $MEDIA_BUCKET?" "restore $shown; files that exist again stay as they are"
# exists: whether the file is there again; others may begin with its name, but come after it.
exists() {
  FILE=$file
  export FILE
  google_reading '(items("items")[0].name // "") | ('"$encoded"') == env.FILE' \
    google_get storage "b/$MEDIA_BUCKET/o" "prefix=$file&maxResults=1" && [ "$GOOGLE_READ" = true ]
}

restored=0 kept=0 failed=0
echo '{}' >"$GOOGLE_WORK/object.json"
while IFS=$sql_tab read -r file generation plain <&4; do
  if google_reading 'field("name")' google_post storage "b/$MEDIA_BUCKET/o/$file/restore" "$GOOGLE_WORK/object.json" \
    "generation=$generation&ifGenerationMatch=0"; then
    restored=$((restored + 1))
  elif [ "$GOOGLE_STATUS" = 412 ] || google_says 'pre-condition'; then
    kept=$((kept + 1))
  elif [ "$GOOGLE_STATUS" = 404 ] && exists; then
    # The answer to the first of several attempts was lost.
    restored=$((restored + 1))
  else
    failed=$((failed + 1))
    google_error "$plain cannot be restored. $(google_outcome)"
    # What holds for all files would be said of each.
    case $GOOGLE_STATUS in 400 | 404 | 409 | 412) ;; 000) google_is_unsafe "$file" % || break ;; *) break ;; esac
  fi
done 4<"$GOOGLE_WORK/newest"
google_say "Restored $restored file(s) of $MEDIA_BUCKET; $kept exist again and stayed as they are."
if [ "$failed" -gt 0 ]; then
  google_error "$((total - restored - kept)) of $total file(s) cannot be restored, for the reasons above."
  google_advise
  google_error "  To fix: correct what the messages name and run the same command again."
  exit 1
fi
