"""From files to typed questions, one file per format; nothing here touches the database."""
