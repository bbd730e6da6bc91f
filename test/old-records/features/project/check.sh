if grep -rn BUG src; then exit 1; fi
