"""What every cog shows and says with: ids, layouts, answers, names, words."""
